import { Agent, type IncomingMessage, request } from "node:http";
import { createParser } from "eventsource-parser";
import { playCase, stampMs, textOf } from "./client-case.ts";

const agent = new Agent({ keepAlive: true });

/** node:http as well as it can be used: a read is stamped and kept, all parsing is done later. */
await playCase(async (url, body) => {
  const parts: Buffer[] = [];
  const readAtMs: number[] = [];
  await new Promise<void>((resolve, reject) => {
    const onResponse = (response: IncomingMessage): void => {
      response.on("data", (bytes: Buffer) => {
        readAtMs.push(stampMs());
        parts.push(bytes);
      });
      response.once("end", resolve).once("error", reject);
    };
    request(url, { method: "POST", agent }, onResponse).once("error", reject).end(body);
  });
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
  const decoder = new TextDecoder();
  for (const [i, bytes] of parts.entries()) {
    nowMs = readAtMs[i]!;
    parser.feed(decoder.decode(bytes, { stream: true }));
  }
  return { texts, atMs };
});
