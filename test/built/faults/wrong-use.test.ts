import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe } from "vitest";
import { BRIEF, type FaultBench, test } from "../../support/fault-bench.ts";

const SMALL = [...BRIEF, "--concurrency", "1", "--requests", "2", "--output-tokens", "8"];

/** A server that is no engine. @returns its URL. */
async function listening(bench: FaultBench, server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  bench.atClose(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const listing = (models: readonly string[]): Server =>
  createHttpServer((_request, reply) => {
    reply.setHeader("connection", "close");
    reply.end(JSON.stringify({ data: models.map((id) => ({ id })) }));
  });

/** What a new user gets wrong about the target. */
const WRONG_TARGETS: readonly [
  string,
  (bench: FaultBench) => Promise<readonly string[]>,
  number,
  RegExp,
][] = [
  ["no target at all", async () => [], 2, /--target is missing: give the URL/],
  [
    "a port where nothing listens",
    async (bench) => {
      const server = createServer();
      const url = await listening(bench, server);
      await new Promise((resolve) => server.close(resolve));
      return ["--target", url];
    },
    1,
    /nothing listens there.*ECONNREFUSED/s,
  ],
  [
    "a port where something else listens",
    async (bench) => {
      const server = createServer((socket) => {
        socket.on("error", () => undefined);
        socket.end("SSH-2.0-OpenSSH_9.6\r\n");
      });
      return ["--target", await listening(bench, server)];
    },
    1,
    /not HTTP|no HTTP|HTTP/,
  ],
  [
    "https where http is spoken",
    async (bench) => {
      const { url } = await bench.engine();
      return ["--target", url.replace("http:", "https:")];
    },
    1,
    /http:\/\//,
  ],
  [
    "a path that is not there",
    async (bench) => ["--target", `${(await bench.engine()).url}/api/v7`],
    1,
    /HTTP 404/,
  ],
  [
    "a model that is not there",
    async (bench) => {
      const server = createHttpServer((_request, reply) => {
        reply.writeHead(404, { connection: "close" });
        reply.end(JSON.stringify({ error: { message: "The model `nope` does not exist." } }));
      });
      return ["--target", await listening(bench, server), "--model", "nope"];
    },
    1,
    /The model `nope` does not exist/,
  ],
  [
    "several models",
    async (bench) => ["--target", await listening(bench, listing(["small", "large"]))],
    2,
    /lists 2 models: choose one with --model: small, large/,
  ],
  [
    "no model",
    async (bench) => ["--target", await listening(bench, listing([]))],
    2,
    /lists no model: name the model with --model/,
  ],
  [
    "a key that is missing",
    async (bench) => ["--target", (await bench.engine({ apiKey: "sk-secret" })).url],
    1,
    /401[\s\S]*--api-key-env/,
  ],
  ["a URL that is none", async () => ["--target", "localhost:99999999"], 2, /--target|URL|port/],
];

describe.concurrent("a target that is wrong", () => {
  test.for(WRONG_TARGETS)(
    "%s is told, and nothing is kept",
    async ([, flagsOf, exitCode, message], { bench, expect }) => {
      const flags = [...(await flagsOf(bench)), ...SMALL, "--out", bench.out];
      const end = await bench.over(
        bench.start(["sweep", ...flags], { JOULEMARK_TARGET: undefined }),
      );
      expect(end.stderr.replaceAll(/\s+/g, " ")).toMatch(message);
      expect(end.stderr).not.toMatch(/a bug|sk-secret/);
      expect({ exitCode: end.exitCode, stdout: end.stdout }).toEqual({ exitCode, stdout: "" });
      expect(existsSync(bench.out)).toBe(false);
    },
  );
});

describe.concurrent("flags that are wrong", () => {
  test.for<[string, readonly string[], RegExp]>([
    ["an unknown flag", ["--concurency", "2"], /unknown option '--concurency'[\s\S]*--concurrency/],
    ["a list that is none", ["--concurrency", "1,x"], /--concurrency <list>.*1,2,4,8/],
    ["fewer requests than are in flight", ["--concurrency", "8", "--requests", "4"], /at least 8/],
    ["two ends of a cell", ["--requests", "4", "--duration", "5"], /give one of them/],
    [
      "a config that is not there",
      ["--config", "/nowhere.yaml"],
      /\/nowhere\.yaml could not be read/,
    ],
    ["a run that is not there", ["--resume", "/nowhere"], /--resume \/nowhere/],
  ])("%s is told with what would be right", async ([, flags, message], { bench, expect }) => {
    const end = await bench.start(["sweep", "--target", "http://127.0.0.1:1", ...flags]).ended;
    expect(end.stderr.replaceAll(/\s+/g, " ")).toMatch(message);
    expect(end.stderr).not.toContain("a bug");
    expect({ exitCode: end.exitCode, stdout: end.stdout }).toEqual({ exitCode: 2, stdout: "" });
  });

  test("a broken config is told with its line", async ({ bench, expect }) => {
    const config = join(bench.home, "broken.yaml");
    writeFileSync(config, "concurrency: [1, 2\nrequests: 4\n");
    const end = await bench.start(["sweep", "--config", config]).ended;
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toMatch(/broken\.yaml: line \d+, column \d+ is no YAML/);
  });
});

describe.concurrent("--resume of what is not this run", () => {
  test("of another benchmark, with other flags, or of a folder without a run", async ({
    bench,
    expect,
  }) => {
    const engine = await bench.engine();
    // By the server's own times, which a busy machine cannot make inconclusive.
    const floor = ["--rail", "none", "--settle", "0", "--runs", "1", "--max-tokens", "40"].concat(
      "--extra-body",
      '{"timings":true}',
    );
    const ofFloor = await bench.kept(bench.bench("decode-floor", engine, floor));
    expect(ofFloor.exitCode).toBe(0);
    const before = readdirSync(ofFloor.folder).toSorted();
    const another = await bench.start(["sweep", "--resume", ofFloor.folder]).ended;
    expect(another.exitCode).toBe(2);
    expect(another.stderr).not.toContain("a bug");
    const others = ["decode-floor", "--resume", ofFloor.folder, "--max-tokens", "41"];
    const otherFlags = await bench.start(others).ended;
    expect(otherFlags.exitCode).toBe(2);
    expect(otherFlags.stderr).toContain("--max-tokens 41 is not what the run");
    const empty = join(bench.home, "empty");
    mkdirSync(empty);
    const noRun = await bench.start(["sweep", "--resume", empty]).ended;
    expect(noRun.exitCode).toBe(2);
    expect(noRun.stderr).toContain("name a run folder");
    expect(readdirSync(ofFloor.folder).toSorted()).toEqual(before);
  });

  test("of a run that is whole measures nothing, and says so by its record", async ({
    bench,
    expect,
  }) => {
    const engine = await bench.engine();
    const whole = await bench.kept(bench.bench("sweep", engine, SMALL));
    const again = await bench.kept(bench.start(["sweep", "--resume", whole.folder]));
    expect(again.exitCode).toBe(0);
    expect(again.record.cells).toEqual(whole.record.cells);
    expect(again.record.interrupted).toBe(false);
  });
});
