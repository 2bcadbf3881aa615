import { createParser } from "eventsource-parser";
import { Agent, request } from "undici";
import { playCase, stampMs, textOf } from "./client-case.ts";

const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

/** undici's `request` and an SSE parser, each event parsed as it comes. */
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
  const response = await request(url, { method: "POST", body, dispatcher });
  const decoder = new TextDecoder();
  await new Promise((resolve, reject) => {
    response.body.on("data", (bytes: Buffer) => {
      nowMs = stampMs();
      parser.feed(decoder.decode(bytes, { stream: true }));
    });
    response.body.once("end", resolve).once("error", reject);
  });
  return { texts, atMs };
});
