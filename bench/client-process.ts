import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { cpuSecondsOf } from "../src/rails/nvidia-smi/child-cost.ts";
import type { ClientCase, ClientResult } from "./clients/client-case.ts";

/** A client as the tables name it, and the program that it is. */
export interface Client {
  readonly name: string;
  readonly program: string;
  readonly file: string;
}

/** What a client took, and what the server used meanwhile. */
export interface ClientRun extends ClientResult {
  readonly serverCpuS: number;
}

const PYTHON = "/usr/bin/python3";

function nodeClient(name: string, file: string): Client {
  const path = fileURLToPath(new URL(`./clients/${file}.js`, import.meta.url));
  return { name, program: process.execPath, file: path };
}

const AIOHTTP: Client = {
  name: "Python aiohttp, json per event",
  program: PYTHON,
  file: "bench/clients/aiohttp_client.py",
};

/** joulemark's own first; aiohttp where Debian's python3-aiohttp is there. */
export async function clients(): Promise<readonly Client[]> {
  return [
    nodeClient("joulemark (LoadPool, 1 thread)", "joulemark"),
    nodeClient("node:http, JSON later", "node-http"),
    nodeClient("undici request + eventsource-parser", "undici-request"),
    nodeClient("global fetch + eventsource-parser", "fetch"),
    ...((await hasAiohttp()) ? [AIOHTTP] : []),
  ];
}

async function hasAiohttp(): Promise<boolean> {
  const child = spawn(PYTHON, ["-c", "import aiohttp"], { stdio: "ignore" });
  const [code] = (await Promise.race([once(child, "exit"), once(child, "error")])) as [unknown];
  return code === 0;
}

/** Runs a client in a process of its own, so that what it costs is its alone. */
export async function runClient(
  { program, file, name }: Client,
  one: ClientCase,
  serverPid: number,
): Promise<ClientRun> {
  const child = spawn(program, [file, JSON.stringify(one)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let serverBeforeS = Number.NaN;
  for await (const line of createInterface({ input: child.stdout })) {
    const message = JSON.parse(line) as { kind: "start" | "end" } & ClientResult;
    const serverS = cpuSecondsOf(serverPid) ?? Number.NaN;
    if (message.kind === "end") return { ...message, serverCpuS: serverS - serverBeforeS };
    serverBeforeS = serverS;
  }
  throw new Error(`${name} ended without a result`);
}
