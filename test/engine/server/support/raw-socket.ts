import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A connection that says what it likes. */
export interface RawSocket {
  readonly socket: Socket;
  /** What has come so far, as Latin-1. */
  readonly text: () => string;
  send(text: string | Buffer): void;
  /** Until as much has come that this is true of it. */
  until(isEnough: (text: string) => boolean): Promise<string>;
  /** Until the other side ends it, whichever way. @returns all that came. */
  ended(): Promise<string>;
}

export async function rawSocket({ url }: { readonly url: string }): Promise<RawSocket> {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(url).port) });
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("error", () => {});
  socket.setEncoding("latin1").on("data", (part: string) => {
    text += part;
  });
  // A reset is an end like any other.
  const closed = new Promise<void>((resolve) => void socket.once("close", () => resolve()));
  await once(socket, "connect");
  return {
    socket,
    text: () => text,
    send: (bytes) => void socket.write(bytes),
    async until(isEnough) {
      while (!isEnough(text)) {
        const more = new Promise<boolean>(
          (resolve) => void socket.once("data", () => resolve(true)),
        );
        if (await Promise.race([more, closed.then(() => false)])) continue;
        if (!isEnough(text)) throw new Error(`ended after: ${text}`);
      }
      return text;
    },
    async ended() {
      await closed;
      return text;
    },
  };
}

/** A request for a completion, as it goes over the wire. */
export function wire(body: object | string, head = "", version = "1.1"): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  return `POST /v1/completions HTTP/${version}\r\nhost: x\r\ncontent-length: ${length}\r\n${head}\r\n${text}`;
}
