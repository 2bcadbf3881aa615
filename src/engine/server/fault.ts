import { byKind, number, type Shape, text } from "../nvidia-smi/shape.ts";

/** Which requests a fault of the engine's own hits; all of them unless it says otherwise. */
interface FaultScope {
  /** Share of the requests, 0 to 1, drawn by the engine's seed and the request's number. */
  readonly share?: number;
  /** Only requests from this number on; the first is 0. */
  readonly fromRequest?: number;
  /** Only requests before this number. */
  readonly untilRequest?: number;
}

/** After how many token events of the reply it comes, default 0: before the first. */
interface AfterEvents {
  readonly afterEvents?: number;
}

/** Answers with this status and an error envelope. */
interface StatusFault {
  readonly kind: "status";
  readonly status: number;
  readonly message?: string;
  readonly retryAfterS?: number;
}

/** `reset` tears the connection down (RST), `close` ends it in the middle of the reply (FIN). */
interface CutFault extends AfterEvents {
  readonly kind: "reset" | "close";
}

/** Sends nothing more; with `forMs`, goes on after that with all that has gathered. */
interface StallFault extends AfterEvents {
  readonly kind: "stall";
  readonly forMs?: number;
}

/** An error envelope as an event of the stream, and then its end. */
interface StreamErrorFault extends AfterEvents {
  readonly kind: "error";
  readonly message?: string;
}

/** The request waits this long before the engine looks at it. */
interface SlowFault {
  readonly kind: "slow";
  readonly delayMs: number;
}

/** The reply ends after this many tokens, whatever was asked. */
interface ShortFault {
  readonly kind: "short";
  readonly tokens: number;
}

/** An event that is no JSON. */
interface GarbageFault extends AfterEvents {
  readonly kind: "garbage";
  /** Default `{"choices":[{"delta":` */
  readonly text?: string;
}

/** A usage with other numbers than the true ones: both counts are multiplied. */
interface UsageFault {
  readonly kind: "usage";
  readonly factor: number;
}

/** No usage although it was asked for, no `[DONE]`, or both finish reason and `[DONE]` left out. */
interface MissingFault {
  readonly kind: "no-usage" | "no-done" | "no-end";
}

/** Comes at a place in the stream. */
export type StreamFault = CutFault | StallFault | StreamErrorFault | GarbageFault;

/** How the engine misbehaves for one request. */
export type RequestFault =
  | StreamFault
  | StatusFault
  | SlowFault
  | ShortFault
  | UsageFault
  | MissingFault;

/** A fault of the engine's own, and which requests it hits. */
export type EngineFault = RequestFault & FaultScope;

const count: Shape = number({ min: 0, integer: true });
const notNegative: Shape = number({ min: 0 });
const after = { afterEvents: count };

const share: Shape = (value, path, problems) => {
  if (typeof value === "number" && value >= 0 && value <= 1) return;
  problems.push(`${path}: ${JSON.stringify(value)} is not a share from 0 to 1`);
};

const status: Shape = (value, path, problems) => {
  if (Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599) return;
  problems.push(`${path}: ${JSON.stringify(value)} is not an HTTP status from 200 to 599`);
};

function shapeOf(scope: Readonly<Record<string, Shape>>): Shape {
  return byKind({
    status: [{ status }, { message: text(), retryAfterS: notNegative, ...scope }],
    reset: [{}, { ...after, ...scope }],
    close: [{}, { ...after, ...scope }],
    stall: [{}, { ...after, forMs: notNegative, ...scope }],
    error: [{}, { ...after, message: text(), ...scope }],
    slow: [{ delayMs: notNegative }, scope],
    short: [{ tokens: number({ min: 1, integer: true }) }, scope],
    garbage: [{}, { ...after, text: text(), ...scope }],
    usage: [{ factor: notNegative }, scope],
    "no-usage": [{}, scope],
    "no-done": [{}, scope],
    "no-end": [{}, scope],
  });
}

/** A fault that a request asks for itself. */
export const requestFaultShape: Shape = shapeOf({});

/** A fault of the engine's own. */
export const engineFaultShape: Shape = shapeOf({ share, fromRequest: count, untilRequest: count });
