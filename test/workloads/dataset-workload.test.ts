import { describe, expect, test } from "vitest";
import { datasetWorkload } from "../../src/workloads/dataset-workload.ts";
import type { DatasetEntry } from "../../src/workloads/parse-entry.ts";

const datasetOf = (...entries: DatasetEntry[]) =>
  ({ file: "/data/a.jsonl", format: "jsonl", entries, badLineCount: 0, badLines: [] }) as const;

const chat = { body: { messages: [{ role: "user", content: "Hi" }] } };
const longChat = { body: { messages: [{ role: "system", content: "s" }, ...chat.body.messages] } };

describe("datasetWorkload", () => {
  test("gives the entries in order, over and over, and says how many differ", () => {
    const dataset = datasetOf({ body: { prompt: "a" } }, { body: { prompt: "b" } });
    const workload = datasetWorkload(dataset, { endpoint: "completions" });
    expect(workload.distinctRequests).toBe(2);
    expect(workload.name).toBe("dataset a.jsonl");
    expect([0, 1, 2].map((i) => workload.requestAt(i))).toEqual([
      { body: { prompt: "a" } },
      { body: { prompt: "b" } },
      { body: { prompt: "a" } },
    ]);
  });

  test("an entry's own output tokens stand before the default", () => {
    const dataset = datasetOf(
      { body: { prompt: "a" }, outputTokens: 9 },
      { body: { prompt: "b" } },
    );
    const workload = datasetWorkload(dataset, { endpoint: "completions", outputTokens: 64 });
    expect(workload.requestAt(0).outputTokens).toBe(9);
    expect(workload.requestAt(1).outputTokens).toBe(64);
  });

  test("a prompt becomes a message for a chat endpoint, messages go as they are", () => {
    const dataset = datasetOf({ body: { prompt: "Hi" } }, longChat);
    const workload = datasetWorkload(dataset, { endpoint: "chat" });
    expect(workload.requestAt(0)).toEqual(chat);
    expect(workload.requestAt(1)).toEqual(longChat);
  });

  test("a single message becomes a prompt for a completions endpoint", () => {
    const workload = datasetWorkload(datasetOf(chat), { endpoint: "completions" });
    expect(workload.requestAt(0)).toEqual({ body: { prompt: "Hi" } });
  });

  test("a chat of several messages is refused there, with the remedy", () => {
    expect(() => datasetWorkload(datasetOf(longChat), { endpoint: "completions" })).toThrow(
      /a\.jsonl: it holds chats .*; use --endpoint chat/,
    );
  });
});
