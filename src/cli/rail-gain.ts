import { InvalidArgumentError } from "commander";
import { isGain, LEAST_GAIN, MOST_GAIN, type RailGain } from "../rails/rail-gain.ts";

/** `--rail-gain` as it is kept among a run's parameters: one factor, or a text for each device. */
export type GainFlag = number | readonly string[];

/** One factor for all devices, or `DEVICE=FACTOR` with commas between. */
export function railGain(text: string): GainFlag {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.length === 1 && !text.includes("=")) return factorOf(text.trim());
  const names = parts.map((part) => {
    const [, name, factor] = /^(.+)=([^=]*)$/.exec(part) ?? [];
    if (name === undefined || factor === undefined) throw new InvalidArgumentError(HELP);
    factorOf(factor);
    return name;
  });
  if (new Set(names).size < names.length)
    throw new InvalidArgumentError(`A device has one gain. ${HELP}`);
  return parts;
}

/** The factors by device, of what the flag was given. */
export function gainOf(flag: GainFlag): RailGain {
  if (typeof flag === "number") return flag;
  return Object.fromEntries(
    flag.map((part) => {
      const at = part.lastIndexOf("=");
      return [part.slice(0, at), Number(part.slice(at + 1))];
    }),
  );
}

function factorOf(text: string): number {
  const factor = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!isGain(factor)) throw new InvalidArgumentError(HELP);
  return factor;
}

const HELP = `Give a factor above ${LEAST_GAIN} and below ${MOST_GAIN}, such as 1.047, or one for each device by index or uuid, such as 0=1.047,1=0.98.`;
