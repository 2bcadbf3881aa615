import { expect, test } from "vitest";
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

function section(title: string, help: string): string {
  const text = help.replaceAll(/ +$/gm, "").trim();
  return `## ${title}\n\n\`\`\`text\n${text}\n\`\`\`\n`;
}
