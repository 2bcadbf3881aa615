import type { ServerResponse } from "node:http";

/** A client that has this much waiting has stopped reading, in bytes. */
const MOST_WAITING = 16 * 1024 * 1024;

/** Lengths of chunks as they are written, for those that token events have. */
const hexLengths = Array.from({ length: 1024 }, (_, length) => length.toString(16));

/**
 * Sends the events of a streamed reply, each as soon as it is given.
 *
 * Where it can, it writes the chunks of the transfer coding to the socket itself: with thousands
 * of streams that halves what an event costs.
 */
export class EventWriter {
  readonly #response: ServerResponse;
  readonly #isChunked: boolean;

  constructor(response: ServerResponse) {
    this.#response = response;
    this.#isChunked = response.req.httpVersion === "1.1";
  }

  /** Sends the head, before anything is known of the reply. */
  open(): void {
    this.#response.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      ...(this.#isChunked && { "transfer-encoding": "chunked" }),
    });
    this.#response.flushHeaders();
  }

  /** @param data - ASCII; of several events, one after the other, in one write. */
  send(...data: readonly string[]): void {
    let text = "";
    for (const one of data) text += `data: ${one}\n\n`;
    this.sendRaw(text);
  }

  /** As `send` does; hot: a token event is alone in its write. */
  sendOne(data: string): void {
    this.sendRaw(`data: ${data}\n\n`);
  }

  /** @param text - ASCII, as it is. */
  sendRaw(text: string): void {
    const { socket } = this.#response;
    if (!this.#isChunked || socket === null) {
      // Behind another reply on the same connection: the bytes have to wait their turn.
      this.#response.write(text, "latin1");
    } else {
      const length = hexLengths[text.length] ?? text.length.toString(16);
      socket.write(`${length}\r\n${text}\r\n`, "latin1");
    }
    const waiting = (socket ?? this.#response).writableLength;
    if (waiting > MOST_WAITING) this.#response.req.socket.destroy();
  }

  end(): void {
    this.#response.end();
  }

  /** Ends the connection in the middle of the reply. */
  cut(how: "reset" | "close"): void {
    const { socket } = this.#response.req;
    if (how === "reset") socket.resetAndDestroy();
    else socket.end(() => socket.destroy());
  }
}
