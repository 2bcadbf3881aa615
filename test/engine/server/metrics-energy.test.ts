import { expect, test } from "vitest";
import { complete, serveEngine } from "./support/serve-engine.ts";

/** A page of `/metrics`: its time on the machine's monotonic clock, and joules by GPU. */
async function page(url: string, originNs: bigint) {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [, uptimeS] = /^sim_engine_uptime_seconds\{.*\} (\S+)$/m.exec(text)!;
  const energies = [...text.matchAll(/^sim_gpu_energy_joules_total\{(.*)\} (\S+)$/gm)];
  return {
    atNs: originNs + BigInt(Math.round(Number(uptimeS) * 1e9)),
    labels: energies.map(([, labels]) => labels!),
    energiesJ: energies.map(([, , energyJ]) => Number(energyJ)),
  };
}

test("the energy counter has every GPU of the box, with all that the truth says went into it", async () => {
  const wave = { kind: "square", lowW: 5, highW: 90, periodMs: 130, highMs: 61 } as const;
  const server = await serveEngine({
    set: { "power.gpuCount": 2, "power.noise": 0.1 },
    rail: {
      boxGpuCount: 4,
      firstIndex: 1,
      tenants: [
        { index: 0, pid: 1, load: { kind: "constant", powerW: 33 } },
        { index: 2, pid: 2, load: wave },
      ],
    },
  });
  const { url, originNs, devices } = server;
  const start = await page(url, originNs);
  await complete(server, { prompt: "go", max_tokens: 40, ignore_eos: true });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const end = await page(url, originNs);
  const query = `start_ns=${start.atNs}&end_ns=${end.atNs}`;
  const truth = (await (await fetch(`${url}/truth/energy?${query}`)).json()) as {
    devices: { energyJ: number }[];
  };
  expect(end.labels).toHaveLength(4);
  for (const [i, { energyJ }] of truth.devices.entries()) {
    expect(end.labels[i]).toContain(devices[i]!.uuid);
    expect(energyJ).toBeGreaterThan(1);
    const countedJ = end.energiesJ[i]! - start.energiesJ[i]!;
    expect(Math.abs(countedJ / energyJ - 1)).toBeLessThan(1e-6);
  }
});
