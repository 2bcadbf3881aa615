import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { EngineProfile } from "../../../src/engine/profiles/engine-profile.ts";
import { settingMeanings, settingOf } from "../../../src/engine/profiles/setting-meanings.ts";
import { runCli } from "../../support/run-cli.ts";

const HEAD = `# The command line

Written from the program's own help by \`npm run docs:cli\`; a test holds it.
Exit codes: 0 measured (and passed), 1 failed or a bug, 2 bad usage, 4 inconclusive, 130 interrupted;
\`measure\` gives the command's own. Flags win over the environment, that over \`--config\`, that over
the defaults.
`;

test("docs/cli.md is what the program says of itself", async () => {
  const env = { ...process.env, COLUMNS: "100", NO_COLOR: "1" };
  const root = (await runCli(["--help"], { env })).stdout;
  const names = [...root.matchAll(/^ {2}([a-z-]+) .*$/gm)].map(([, name]) => name!);
  const commands = names.filter((name) => name !== "help" && !name.startsWith("-"));
  expect(commands).toContain("measure");
  const parts = [HEAD, section("joulemark", root)];
  for (const name of commands) {
    const { stdout } = await runCli([name, "--help"], { env });
    parts.push(section(`joulemark ${name}`, stdout));
  }
  await expect(parts.join("\n")).toMatchFileSnapshot("../../../docs/cli.md");
});

const TABLE_AT = /(?<=<!-- profiles: .*-->\n\n)[\s\S]*?(?=\n\n<!-- end of profiles -->)/;

test("docs/engine.md has the figures of all profiles, as the program lists them", async () => {
  const listed = await runCli(["engine", "--list-profiles", "--json"]);
  const profiles = Object.entries(JSON.parse(listed.stdout) as Record<string, EngineProfile>);
  const path = new URL("../../../docs/engine.md", import.meta.url);
  const doc = readFileSync(path, "utf8");
  expect(doc).toMatch(TABLE_AT);
  const table = markdownTable([
    ["key", "unit", ...profiles.map(([name]) => name), "what it is"],
    ...[...settingMeanings].map(([key, { unit, meaning }]) => {
      return [`\`${key}\``, unit, ...profiles.map(([, it]) => settingOf(it, key)), meaning];
    }),
  ]);
  await expect(doc.replace(TABLE_AT, () => table)).toMatchFileSnapshot(fileURLToPath(path));
});

function markdownTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const [head, ...rest] = rows.map((row) => line(row.map((cell, i) => cell.padEnd(widths[i]!))));
  return [head, line(widths.map((width) => "-".repeat(width))), ...rest].join("\n");
}

function section(title: string, help: string): string {
  const text = help.replaceAll(/ +$/gm, "").trim();
  return `## ${title}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
}
