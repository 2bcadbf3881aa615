/** What an output of nvidia-smi that is no reading means, and what helps. */
export interface Explanation {
  /** What nvidia-smi said, on one line. */
  readonly said: string;
  readonly remedy: string;
}

const KNOWN: readonly (readonly [RegExp, string])[] = [
  [
    /couldn't communicate with the NVIDIA driver|Driver Not Loaded/i,
    "load the NVIDIA driver (after an update: reboot)",
  ],
  [
    /version mismatch/i,
    "the driver was updated under a running kernel module: reboot, or reload the module",
  ],
  [
    /Failed to initialize NVML: Unknown Error/i,
    "a container that lost its devices: restart it, with the GPUs passed in (docker run --gpus all)",
  ],
  [
    /GPU is lost|requires reset|device handle/i,
    "a GPU fell off the bus or needs a reset: see dmesg for Xid errors, reset it or reboot",
  ],
  [
    /No devices were found/i,
    "no GPU is visible here: pass the GPUs into the container, or check lspci",
  ],
  [/Insufficient Permissions/i, "ask the administrator for read access to the GPU's power"],
  [/is not a valid field to query/i, "update the NVIDIA driver"],
];

/** The remedy when nothing is known about what was seen. */
export const RUN_BY_HAND =
  "run it by hand to see what is wrong; --nvidia-smi PATH names another program";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** What a program printed, as it may be shown: on one line, without control characters, cut. */
export function shown(text: string, most: number): string {
  const lines = text.split(/[\r\n]+/).map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .join(" / ")
    .replaceAll(CONTROL, "·")
    .slice(0, most);
}

/** Puts the output of a nvidia-smi that gave no reading into words. */
export function explainOutput(output: string): Explanation {
  const said = shown(output, 300);
  const remedy = KNOWN.find(([text]) => text.test(output))?.[1] ?? RUN_BY_HAND;
  return { said: said === "" ? "nothing" : `“${said}”`, remedy };
}

/** The field that the driver does not know, where that is what the output says. */
export function refusedField(output: string): string | undefined {
  return /Field "([^"]+)" is not a valid field to query/.exec(output)?.[1];
}
