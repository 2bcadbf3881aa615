/** One chat chunk as an event. */
export function chunk(delta: object, more: object = {}, choice: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: null, ...choice }];
  return event({ object: "chat.completion.chunk", model: "test-model", choices, ...more });
}

export function token(content: string): string {
  return chunk({ content });
}

export function finish(reason = "stop"): string {
  return chunk({}, {}, { finish_reason: reason });
}

export function usage(completion: number, prompt = 7): string {
  const counts = { prompt_tokens: prompt, completion_tokens: completion };
  return event({ choices: [], usage: { ...counts, total_tokens: prompt + completion } });
}

export function event(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

export const DONE = "data: [DONE]\n\n";

/** A whole reply of these tokens. */
export function reply(...tokens: string[]): string {
  return tokens.map(token).join("") + finish() + usage(tokens.length) + DONE;
}

export function head(status = 200, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ "content-type": "text/event-stream", ...headers });
  return `HTTP/1.1 ${status} X\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join("")}\r\n`;
}

export const CHUNKED = { "transfer-encoding": "chunked" };

/** One chunk of the chunked transfer coding. */
export function httpChunk(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
}

export const LAST_CHUNK = "0\r\n\r\n";
