/** One request as the instant server needs it. */
export interface InstantRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Far more than a load generator sends in a head, and in a body. */
const LONGEST_HEAD = 65_536;
const LONGEST_BODY = 64 * 1024 * 1024;

const HEAD_END = Buffer.from("\r\n\r\n");

/**
 * Takes the requests of one connection out of its bytes.
 *
 * Bodies come with a content length; chunked ones are refused, since no client of this server
 * sends them.
 */
export class RequestReader {
  #bytes: Buffer = Buffer.alloc(0);

  /** @throws {Error} when the bytes are no request that this server takes. */
  push(bytes: Buffer): readonly InstantRequest[] {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    const requests: InstantRequest[] = [];
    for (let next = this.#take(); next; next = this.#take()) requests.push(next);
    return requests;
  }

  #take(): InstantRequest | undefined {
    const headEnd = this.#bytes.indexOf(HEAD_END);
    if (headEnd < 0) {
      if (this.#bytes.length > LONGEST_HEAD) throw new Error("the head of the request is too long");
      return undefined;
    }
    const head = this.#bytes.toString("latin1", 0, headEnd);
    const [method = "", path = ""] = head.slice(0, head.indexOf("\r\n")).split(" ");
    if (/\r\ntransfer-encoding:/i.test(head)) throw new Error("chunked requests are not taken");
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    if (length > LONGEST_BODY) throw new Error("the body of the request is too long");
    const end = headEnd + HEAD_END.length + length;
    if (this.#bytes.length < end) return undefined;
    const body = this.#bytes.toString("utf8", headEnd + HEAD_END.length, end);
    this.#bytes = this.#bytes.subarray(end);
    return { method, path, body };
  }
}
