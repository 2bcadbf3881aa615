import {
  byKind,
  flag,
  listOf,
  number,
  object,
  oneOf,
  recordOf,
  type Shape,
  text,
} from "./shape.ts";

const count: Shape = number({ min: 0, integer: true });
const atLeastOne: Shape = number({ min: 1, integer: true });
const positiveMs: Shape = number({ min: 0.001 });
const notNegative: Shape = number({ min: 0 });
const nanoseconds: Shape = text({ pattern: /^\d+$/ });

const power: Shape = byKind({
  constant: [{ powerW: notNegative }],
  steps: [
    { steps: listOf(object({ atMs: number(), powerW: notNegative }), { minLength: 1 }) },
    { noiseW: notNegative },
  ],
  "steps-file": [{ path: text(), idleW: notNegative }, { noiseW: notNegative }],
  clock: [{ originNs: nanoseconds }],
});

const tenant: Shape = object(
  {
    load: byKind({
      constant: [{ powerW: notNegative }],
      square: [
        { lowW: notNegative, highW: notNegative, periodMs: positiveMs, highMs: notNegative },
      ],
    }),
    originNs: nanoseconds,
  },
  { pid: count },
);

const device: Shape = object(
  { index: count, uuid: text(), name: text(), power },
  {
    powerLimitW: notNegative,
    migMode: oneOf("Enabled", "Disabled"),
    tenants: listOf(tenant),
    averagingMs: positiveMs,
    powerDrawMs: positiveMs,
    updateMs: positiveMs,
    instantMs: positiveMs,
    quantumW: number({ min: 0.01 }),
    cells: recordOf(text({ mayBeEmpty: true })),
  },
);

const start = { afterTicks: count };
const once = { oneShotToo: flag };
const passing = { oneShotToo: flag, forTicks: atLeastOne };
const ofDevice = { ...start, index: count };

/** A fault of the stand-in. */
export const railFaultShape: Shape = byKind({
  die: [
    { ...start, exitCode: count },
    { ...once, stdout: text(), stderr: text() },
  ],
  hang: [start, { ...passing, ignoreSigterm: flag }],
  "lose-device": [ofDevice, passing],
  "drop-device": [ofDevice, passing],
  freeze: [ofDevice, passing],
  rubbish: [
    { ...start, lines: listOf(text({ mayBeEmpty: true }), { minLength: 1 }) },
    { ...passing, instead: flag },
  ],
  "half-line": [start, passing],
  glue: [start, passing],
  "other-columns": [start, passing],
  bunch: [{ ...start, ticks: atLeastOne }, passing],
  pause: [{ ...start, pauseMs: notNegative }, once],
  "endless-line": [start, { ...once, bytesPerS: atLeastOne }],
});

const jitterMs: Shape = (value, path, problems) => {
  listOf(notNegative)(value, path, problems);
  if (Array.isArray(value) && (value.length !== 2 || value[0] > value[1])) {
    problems.push(`${path}: wants two numbers, the smaller first`);
  }
};

const timing: Shape = object(
  {},
  {
    jitterMs,
    perDeviceMs: notNegative,
    firstTickMs: notNegative,
    seed: number({ integer: true }),
    perTickFlush: flag,
  },
);

const playback: Shape = object(
  { file: text() },
  {
    columns: listOf(text(), { minLength: 1 }),
    rowsPerTick: atLeastOne,
    skipRows: count,
    loop: flag,
    intervalMs: positiveMs,
    raw: flag,
  },
);

/** The whole of a scenario, key by key; what depends on two keys at once is not in here. */
export const scenarioShape: Shape = object(
  { devices: listOf(device) },
  {
    driverVersion: text(),
    refusedFields: listOf(text()),
    computeApps: listOf(
      object(
        { gpuUuid: text(), pid: count },
        { processName: text(), usedMemoryMib: notNegative, smPercent: count },
      ),
    ),
    timing,
    eol: oneOf("lf", "crlf"),
    faults: listOf(railFaultShape),
    ignoreSigterm: flag,
    wholeOutput: object(
      { exitCode: count },
      { text: text({ mayBeEmpty: true }), file: text(), stream: oneOf("stdout", "stderr") },
    ),
    playback,
    logFile: text(),
  },
);
