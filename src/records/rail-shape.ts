import {
  byKind,
  fields,
  finite,
  flag,
  listOf,
  notNegative,
  oneOf,
  type Shape,
  text,
  whole,
} from "./shape.ts";

const device = fields(
  { id: text },
  { index: whole, name: text, powerLimitW: finite, gain: finite, isPartitioned: flag },
);

const sensor = fields(
  {
    averagingMs: notNegative,
    updateMs: notNegative,
    kind: oneOf("average", "instant", "counter"),
  },
  { otherAveragingMs: notNegative },
);

const facts = fields(
  {
    source: text,
    head: oneOf("gpu_rail", "cpu_rail", "node_rail", "module_rail", "sim_rail"),
    devices: listOf(device),
    sensor,
    sensorBasis: text,
    periodMs: notNegative,
    fields: listOf(text),
    covers: text,
    excludes: text,
    warnings: listOf(text),
    silentDevices: listOf(text),
  },
  { unmodelled: text, second: fields({ field: text, sensor }) },
);

const sample = fields(
  { atMs: finite, powerW: notNegative },
  { device: text, swPowerCap: flag, hwPowerBrake: flag, instantW: notNegative },
);

const cost = fields(
  { wallS: notNegative, samples: whole, rejectedLines: whole },
  { cpuS: notNegative, readerCpuS: notNegative },
);

const at = { atMs: finite };

/** A line of `rail.jsonl`. */
export const railShape: Shape = byKind("kind", {
  segment: fields({ segment: whole }),
  facts: fields({ facts }),
  started: fields(at),
  read: fields({ ...at, samples: listOf(sample) }),
  stalled: fields({ ...at, why: text }, { device: text }),
  ended: fields({ ...at, why: text }),
  stopped: fields({ ...at, cost }),
});
