import { createParser } from "eventsource-parser";
import { playCase, stampMs, textOf } from "./client-case.ts";

/** What most tools do: global fetch and an SSE parser, each event parsed as it comes. */
await playCase(async (url, body) => {
  const texts: string[] = [];
  const atMs: number[] = [];
  let nowMs = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      const text = textOf(data);
      if (text === "") return;
      texts.push(text);
      atMs.push(nowMs);
    },
  });
  const response = await fetch(url, { method: "POST", body });
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    nowMs = stampMs();
    parser.feed(decoder.decode(part.value, { stream: true }));
  }
  return { texts, atMs };
});
