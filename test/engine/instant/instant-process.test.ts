import { Agent, request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { childrenOf, commandOf } from "../../support/children.ts";

const { startInstantProcess } = (await import(
  "../../../dist/engine/instant/instant-process.js" as string
)) as typeof import("../../../src/engine/instant/instant-process.ts");

type Started = Awaited<ReturnType<typeof startInstantProcess>>;

const started: Started[] = [];
afterEach(async () => {
  for (const server of started.splice(0)) await server.close();
});

async function start(options: Parameters<typeof startInstantProcess>[0]): Promise<Started> {
  const server = await startInstantProcess(options);
  started.push(server);
  return server;
}

/** One exchange over a connection of the agent's; a POST where there is a body. */
function exchange(url: string, agent: Agent, body?: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const asking = request(url, { method, agent }, async (reply) => {
      let text = "";
      for await (const bytes of reply) text += bytes;
      resolve(text);
    });
    asking.on("error", reject);
    asking.end(body && JSON.stringify(body));
  });
}

function ask(url: string, agent: Agent): Promise<string> {
  return exchange(`${url}/v1/completions`, agent, { stream: true, max_tokens: 3 });
}

/** Requests that the process has seen which the agent's connection leads to. */
async function seenBy(url: string, agent: Agent): Promise<number> {
  return (JSON.parse(await exchange(`${url}/seen`, agent)) as { requests: number }).requests;
}

describe("the instant server as a process", () => {
  test("one process answers by itself", async () => {
    const server = await start({});
    expect(childrenOf(server.pid)).toEqual([]);
    expect(await ask(server.url, new Agent())).toContain("data: [DONE]");
  });

  test("several share one address, and each gets connections of its own", async () => {
    const { url, pid } = await start({ processes: 3 });
    expect(childrenOf(pid)).toHaveLength(3);
    // A connection stays with the process that it was handed to.
    const agents = Array.from({ length: 6 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    for (const agent of agents) expect(await ask(url, agent)).toContain("data: [DONE]");
    const seen = await Promise.all(agents.map((agent) => seenBy(url, agent)));
    for (const agent of agents) agent.destroy();
    expect(seen).toEqual([2, 2, 2, 2, 2, 2]);
  });

  test("all of them end with it", async () => {
    const server = await startInstantProcess({ processes: 2 });
    const children = childrenOf(server.pid);
    await server.close();
    expect(children.map(commandOf)).toEqual(["", ""]);
  });
});
