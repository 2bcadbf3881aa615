import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { deriveRecord } from "../../src/records/rederive.ts";
import { CELLS, headerOf, smallRun, windowEvent, writeRun } from "./support/small-run.ts";

const DOCS = readFileSync(new URL("../../docs/records.md", import.meta.url), "utf8");
const RAILS = "(?:gpu|cpu|node|module|sim)_rail";
const STATISTICS = "(?:mean|max|p50|p90|p95|p99|p999)";

/** The keys of the docs' tables, as patterns of whole keys. */
function documented(): RegExp[] {
  const rows = DOCS.split("\n").filter((line) => line.startsWith("| `"));
  const keys = rows.flatMap((row) => [...row.split("|")[1]!.matchAll(/`([^`]+)`/g)]);
  return keys.map(([, key]) => {
    const pattern = key!.replace("*", STATISTICS).replace("RAIL", RAILS);
    return new RegExp(`^(?:steady_(?=${RAILS}))?${pattern}$`);
  });
}

function undocumented(metrics: object, prefix: string): string[] {
  const known = documented();
  const plain = Object.keys(metrics).map((key) =>
    key.replace(new RegExp(`^${prefix}`), "").replace(/_ci_(?:lo|hi)$/, ""),
  );
  return plain.filter((key) => !known.some((pattern) => pattern.test(key)));
}

test("docs/records.md lists every key that a sweep writes", async () => {
  const cells = CELLS.map((plan) => ({ ...plan, prefix: "c2_", repeat: plan.cell }));
  const record = await deriveRecord(writeRun(smallRun({ header: headerOf({ cells }) })));
  expect(Object.keys(record.metrics).length).toBeGreaterThan(80);
  expect(undocumented(record.metrics, "c2_")).toEqual([]);
  for (const cell of record.cells) expect(undocumented(cell.metrics, "")).toEqual([]);
});

test("docs/records.md lists every key that a decode floor writes", async () => {
  const one = { requests: 1, concurrency: 1, prefix: "" };
  const header = headerOf({
    benchmark: "decode-floor",
    cells: CELLS.map((plan) => ({ ...plan, ...one })),
  });
  const timings = { predictedTokens: 3, predictedMs: 100 };
  const requests = smallRun()
    .requests.filter(({ index, phase }) => index === 0 && phase === "window")
    .map((line) => ({ ...line, serverTimings: timings, acceptedPredictionTokens: 2 }));
  const events = smallRun().events.map((event) =>
    event.event === "window" ? windowEvent(event.cell, event.startMs, { requests: 1 }) : event,
  );
  const { metrics } = await deriveRecord(writeRun(smallRun({ header, requests, events })));
  expect(metrics).toMatchObject({ decode_tok_s: 30, decode_rate_is_servers: 1, decode_runs: 2 });
  expect(metrics).toHaveProperty("accepted_draft_tokens", 2);
  expect(undocumented(metrics, "")).toEqual([]);
});
