import { Option } from "commander";
import { type RailFlags, railFlags } from "./options.ts";
import { extraBody, path, positiveSeconds, seconds, whole } from "./parse-values.ts";
import { type SettleFlags, settleOptions } from "./settle-flags.ts";

/** The flags that say where requests go, as the parser gives them. */
export interface AccessFlags {
  readonly target?: string;
  readonly model?: string;
  readonly endpoint?: "chat" | "completions";
  readonly apiKeyEnv?: string;
  readonly apiKeyFile?: string;
  readonly headerEnv?: readonly string[];
  readonly extraBody?: Readonly<Record<string, unknown>>;
  readonly caFile?: string;
  readonly insecure?: boolean;
}

/** The flags that every benchmark of an endpoint has. */
export interface BenchmarkFlags extends RailFlags, AccessFlags, SettleFlags {
  readonly timeout: number;
  readonly threads: number;
  readonly railLocal?: "yes" | "no";
  readonly requireEnergy?: boolean;
  readonly baseline?: number;
  readonly out: string;
  readonly resume?: string;
  readonly config?: string;
  readonly plan?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Where requests go, and what is sent to be let in; `parseTarget` judges them. */
export const accessFlags: readonly Option[] = [
  new Option("--target <url>", "the endpoint: a base URL, a whole one, or a unix socket").env(
    "JOULEMARK_TARGET",
  ),
  new Option("--model <name>", "the model (default: the only one that the server lists)"),
  new Option("--endpoint <kind>", "which API (default: chat, or what the URL names)").choices([
    "chat",
    "completions",
  ]),
  new Option("--api-key-env <name>", "the environment variable that holds the key"),
  new Option("--api-key-file <path>", "the file that holds the key").argParser(path),
  new Option(
    "--header-env <name=env>",
    "a header and the environment variable that holds its value; may be given again",
  ).argParser((text, before: readonly string[] | undefined) => [...(before ?? []), text]),
  new Option(
    "--extra-body <json>",
    "added to every request: an object of JSON, or @FILE that holds one",
  ).argParser(extraBody),
  new Option("--ca-file <path>", "certificates to trust in place of the system's, PEM").argParser(
    path,
  ),
  new Option("--insecure", "do not check the server's certificate; the record says so"),
];

const targetFlags: readonly Option[] = [
  ...accessFlags,
  new Option("--timeout <s>", "how long one request may take, in seconds")
    .default(600)
    .argParser(positiveSeconds),
  new Option("--threads <n>", "load threads; joulemark roofline shows what each can take")
    .default(1)
    .argParser(whole(1, 256)),
];

const energyFlags: readonly Option[] = [
  ...railFlags,
  new Option(
    "--rail-local <yes|no>",
    "whether the target runs on this machine (default: found out)",
  ).choices(["yes", "no"]),
  new Option("--require-energy", "exit code 4 when a cell has no energy"),
  ...settleOptions("before the baseline and around each window"),
  new Option(
    "--baseline <s>",
    "length of the idle baseline in seconds, 0 for none (default: 2, longer for a slow sensor)",
  ).argParser(seconds),
];

/** How the run is made and shown; none of these changes what is measured. */
export const FLAGS_OF_THE_SCREEN: readonly string[] = [
  "out",
  "resume",
  "config",
  "plan",
  "json",
  "quiet",
];

const runFlags: readonly Option[] = [
  new Option("--out <dir>", "the folder that run folders are made in")
    .default("runs")
    .argParser(path),
  new Option("--resume <run>", "go on with the missing cells of this run folder").argParser(path),
  new Option(
    "--config <file>",
    "flags from a YAML file, by their names without dashes; those given here win",
  ).argParser(path),
  new Option("--plan", "say what would be run and about how long it takes; sends nothing"),
  new Option("--json", "print the record, one JSON object, on stdout"),
  new Option("--quiet", "no words on the way, the result alone"),
];

/** In the order of the help: where to, the benchmark's own, energy, the run. */
export function benchmarkFlags(own: readonly Option[]): readonly Option[] {
  return [...targetFlags, ...own, ...energyFlags, ...runFlags];
}
