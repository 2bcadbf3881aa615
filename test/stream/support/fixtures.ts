import { readdirSync, readFileSync } from "node:fs";

const FOLDER = new URL("../../cases/streams/", import.meta.url);

export interface ExpectedResult {
  readonly id: string;
  readonly endpoint: "chat" | "completions";
  readonly [field: string]: unknown;
}

export interface FixtureChunk {
  readonly at_ms: number;
  readonly text?: string;
  readonly base64?: string;
}

export interface Fixture {
  readonly name: string;
  readonly expected: ExpectedResult;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** `undefined`: one block, not timed. */
  readonly chunks: readonly FixtureChunk[] | undefined;
  readonly end: "clean" | "close" | "reset";
  readonly body: Buffer;
}

export function chunkBytes({ text, base64 }: FixtureChunk): Buffer {
  return base64 === undefined ? Buffer.from(text ?? "") : Buffer.from(base64, "base64");
}

export function loadFixtures(): Fixture[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(".expected.json"))
    .map((file) => loadFixture(file.replace(".expected.json", "")));
}

function loadFixture(name: string): Fixture {
  const expected = JSON.parse(read(`${name}.expected.json`).toString()) as ExpectedResult;
  if (readdirSync(FOLDER).includes(`${name}.sse`)) {
    const headers = { "content-type": "text/event-stream" };
    const body = read(`${name}.sse`);
    return { name, expected, status: 200, headers, chunks: undefined, end: "clean", body };
  }
  const script = JSON.parse(read(`${name}.json`).toString()) as Omit<
    Fixture,
    "name" | "expected"
  > & {
    chunks: FixtureChunk[];
  };
  return { ...script, name, expected, body: Buffer.concat(script.chunks.map(chunkBytes)) };
}

function read(file: string): Buffer {
  return readFileSync(new URL(file, FOLDER));
}
