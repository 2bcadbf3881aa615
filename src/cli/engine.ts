import { Command, Option } from "commander";
import { railFaultShape } from "../engine/nvidia-smi/scenario-shape.ts";
import { namedProfiles } from "../engine/profiles/named-profiles.ts";
import { type EngineServer, startEngineServer } from "../engine/server/engine-server.ts";
import { engineFaultShape } from "../engine/server/fault.ts";
import {
  type EngineFlags,
  engineOptions,
  faultLike,
  fieldNames,
  keyValue,
  modelName,
  tenant,
  wholeNumber,
} from "./engine-flags.ts";
import { aborted, refuseBeside, serveInstantly } from "./engine-instant.ts";
import { profilesText } from "./engine-profiles-text.ts";
import { engineEndText, engineNextText, engineStartText } from "./engine-text.ts";
import type { Output } from "./output.ts";

/** `joulemark engine`: the SIMULATED engine that knows the truth, as a server. */
export function engineCommand(output: Output, signal: AbortSignal): Command {
  return addFlags(new Command("engine"))
    .summary("a SIMULATED engine with GPUs, that knows what really happened")
    .description(
      "Serves an OpenAI-compatible API on 127.0.0.1 as an engine with continuous batching would, draws simulated power on simulated GPUs, and shows them through a stand-in nvidia-smi. Everything is SIMULATED: none of it is a measurement of a real GPU. docs/engine.md says what is simulated and how.",
    )
    .action(async (flags: EngineFlags, command: Command) => {
      if (flags.listProfiles) {
        refuseBeside(command, "--list-profiles", ["--json"]);
        output.result(flags.json ? JSON.stringify(namedProfiles) : profilesText(output.resultLook));
        return;
      }
      if (flags.instant) refuseBeside(command, "--instant", ["--port", "--json"]);
      if (flags.instant) return serveInstantly(flags, output, signal);
      const server = await startEngineServer(engineOptions(flags));
      if (flags.json) output.result(readyJson(server));
      else {
        output.result(engineStartText(server, output.resultLook));
        output.note(`\n${engineNextText(server)}`);
      }
      await aborted(signal);
      const status = server.status();
      await server.close();
      output.note(`\n${engineEndText(status, output.noteLook)}`);
    });
}

function readyJson({ url, nvidiaSmiPath, model, devices, originNs }: EngineServer): string {
  return JSON.stringify({
    simulated: true,
    url,
    model,
    nvidiaSmiPath,
    devices,
    originNs: String(originNs),
  });
}

function addFlags(command: Command): Command {
  return addRailFlags(command)
    .option("--port <n>", "port on 127.0.0.1; 0 for any that is free", wholeNumber(0, 65_535), 8000)
    .addOption(
      new Option("--profile <name>", "what it resembles")
        .choices(Object.keys(namedProfiles))
        .default("8b-h100"),
    )
    .option("--list-profiles", "print the profiles with all their figures and units, and end")
    .option(
      "--set <key=value>",
      "a figure of the profile, such as stepBaseMs=20 or power.limitW=400; may be repeated",
      keyValue,
    )
    .option("--model <name>", "model name that it lists (default: the profile's)", modelName)
    .option("--seed <n>", "of everything that is random", wholeNumber(0, 2 ** 31 - 1), 1)
    .addOption(
      new Option("--phases <how>", "tokens of a step leave together at its end, or spread over it")
        .choices(["together", "spread"])
        .default("together"),
    )
    .option("--truth", "keep the send time of each token, show it in each event, answer /truth/…")
    .option("--api-key-env <name>", "environment variable with the key that requests must have")
    .option("--strict-fields", "refuse fields that it does not know, as OpenAI does")
    .option("--refuse-fields <list>", "refuse these too, as an older server would", fieldNames)
    .option(
      "--fault <json>",
      `misbehave, such as '{"kind":"status","status":503,"share":0.1}'; may be repeated`,
      faultLike(engineFaultShape),
    )
    .option(
      "--instant",
      "no engine at all: answer as fast as this machine can, as roofline needs it",
    )
    .option("--json", "print one line of JSON when it serves");
}

/** Flags about the box and its `nvidia-smi`. */
function addRailFlags(command: Command): Command {
  return command
    .option("--smi-dir <dir>", "put the stand-in nvidia-smi there (default: a temporary folder)")
    .option("--gpus <n>", "GPUs in the box (default: those that serve)", wholeNumber(1, 64))
    .option("--first-gpu <n>", "index of the first GPU that serves", wholeNumber(0, 63), 0)
    .option(
      "--tenant <gpu:watts[:seconds]>",
      "someone else's load on a GPU, steady, or on and off every so many seconds; may be repeated",
      tenant,
    )
    .addOption(
      new Option("--driver <age>", "age of the driver: which power fields it knows")
        .choices(["new", "old"])
        .default("new"),
    )
    .option("--mig", "the GPUs are split by MIG")
    .option(
      "--rail-fault <json>",
      `a fault of nvidia-smi, such as '{"kind":"die","afterTicks":20,"exitCode":1}'; may be repeated`,
      faultLike(railFaultShape),
    );
}
