import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RailReason } from "../../src/energy/rail-refusal.ts";
import type { ReasonCode } from "../../src/records/run-record.ts";

/** The compiler holds this list to be whole. */
const OF_RAILS: Readonly<Record<RailReason, true>> = {
  rail_unreadable: true,
  rail_not_local: true,
  rail_no_samples: true,
  rail_stalled: true,
  rail_gap: true,
  rail_device_missing: true,
  rail_frozen: true,
  rail_not_attributable: true,
  window_too_short: true,
  rail_foreign_load: true,
  rail_unresponsive: true,
  rail_not_bracketed: true,
  rail_sensor_unknown: true,
  idle_absent: true,
  idle_not_quiet: true,
};
const CODES: Readonly<Record<ReasonCode, true>> = {
  ...OF_RAILS,
  tokens_unknown: true,
  tokens_mismatch: true,
  tokens_estimated: true,
  short_completions: true,
  cache_uncontrolled: true,
  phases_not_told: true,
  errors: true,
  client_saturated: true,
  interrupted: true,
};

/** The codes in the first cells of a page's table that begins with `| reason`. */
function tabled(page: string): string[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), "utf8");
  const [, table = ""] = /^\| reason .*\n\| -.*\n((?:\|.*\n)+)/m.exec(text) ?? [];
  return table
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)])
    .map(([, code = ""]) => code)
    .toSorted();
}

describe("the codes of reasons", () => {
  test("stand all of them, and no other, in the schema and in the page of records", () => {
    const schema = readFileSync(new URL("../../schema/record-1.json", import.meta.url), "utf8");
    const { $defs } = JSON.parse(schema) as {
      $defs: { reason: { properties: { reason: { enum: string[] } } } };
    };
    const codes = Object.keys(CODES).toSorted();
    expect($defs.reason.properties.reason.enum.toSorted()).toEqual(codes);
    expect(tabled("records.md")).toEqual(codes);
  });

  test("of rails stand in the page of the method", () => {
    expect(tabled("method.md")).toEqual(Object.keys(OF_RAILS).toSorted());
  });
});
