const CHUNK = JSON.stringify({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta: { content: " token" }, finish_reason: null }],
});

/** Keeps this thread busy for `forMs` with the work of a load generator. */
export function takeChunksApart(forMs: number): void {
  const untilMs = performance.now() + forMs;
  while (performance.now() < untilMs) JSON.parse(CHUNK);
}
