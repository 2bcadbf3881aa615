import { once } from "node:events";
import type { Command } from "commander";
import { startInstantServer } from "../engine/instant/instant-server.ts";
import { listenProblem } from "../engine/server/listen-problem.ts";
import { JoulemarkError } from "../errors.ts";
import type { EngineFlags } from "./engine-flags.ts";
import type { Output } from "./output.ts";

/** A flag that would change nothing is a mistake. @throws {JoulemarkError} `bad_option` */
export function refuseBeside(command: Command, flag: string, allowed: readonly string[]): void {
  const others = command.options.filter((option) => {
    const isGiven = command.getOptionValueSource(option.attributeName()) === "cli";
    return isGiven && ![flag, ...allowed].includes(option.long!);
  });
  if (others.length === 0) return;
  const named = others.map(({ long }) => long).join(", ");
  throw new JoulemarkError(
    "bad_option",
    `${named} would change nothing: ${flag} only goes with ${allowed.join(" and ")}; leave one of them out`,
  );
}

/** `joulemark engine --instant`: no engine, an answer at once. */
export async function serveInstantly(
  flags: Pick<EngineFlags, "json" | "port">,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  const server = await startInstantServer(flags.port).catch((cause: unknown) => {
    throw listenProblem(cause, "127.0.0.1", flags.port);
  });
  if (flags.json) output.result(JSON.stringify({ simulated: true, url: server.url }));
  else
    output.result(
      `SIMULATED instant server at ${server.url}/v1, model instant: no model, no GPUs; Ctrl-C ends it`,
    );
  await aborted(signal);
  const { requests, eventsSent } = server.seen;
  await server.close();
  output.note(`instant server ended: ${requests} requests, ${eventsSent} token events`);
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
