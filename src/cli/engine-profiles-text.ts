import { namedProfiles } from "../engine/profiles/named-profiles.ts";
import { settingMeanings, settingOf } from "../engine/profiles/setting-meanings.ts";
import { columnsTable } from "../report/columns-table.ts";
import type { Look } from "../report/facts-table.ts";

/** What `joulemark engine --list-profiles` shows. */
export function profilesText({ hasColour }: Look): string {
  const profiles = Object.entries(namedProfiles);
  const columns = [
    { head: "--set" },
    { head: "unit" },
    ...profiles.map(([head]) => ({ head, isNumber: true })),
    { head: "meaning" },
  ];
  const rows = [...settingMeanings].map(([key, { unit, meaning }]) => {
    return [key, unit, ...profiles.map(([, profile]) => settingOf(profile, key)), meaning];
  });
  return [
    "SIMULATED engines; no figure is that of a real GPU or model",
    ...profiles.map(([name, { summary }]) => `  ${name}: ${summary}`),
    "",
    columnsTable(columns, rows, hasColour),
  ].join("\n");
}
