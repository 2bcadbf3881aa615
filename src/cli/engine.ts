import { Command, InvalidArgumentError, Option } from "commander";
import { once } from "node:events";
import type { EngineBoxOptions, EngineOptions } from "../engine/engine-options.ts";
import { startInstantProcess } from "../engine/instant/instant-process.ts";
import { namedProfiles } from "../engine/profiles/named-profiles.ts";
import { startEngineServer } from "../engine/server/engine-server.ts";
import { engineEndTable, engineStartTable } from "../report/engine-tables.ts";
import { JoulemarkError } from "../errors.ts";
import type { Output } from "./output.ts";

interface EngineFlags {
  readonly port: number;
  readonly profile: string;
  readonly set?: readonly string[];
  readonly model?: string;
  readonly seed: number;
  readonly phases: "together" | "spread";
  readonly truth?: boolean;
  readonly apiKeyEnv?: string;
  readonly strictFields?: boolean;
  readonly refuseFields?: readonly string[];
  readonly fault?: readonly unknown[];
  readonly smiDir?: string;
  readonly gpus?: number;
  readonly firstGpu: number;
  readonly tenant?: readonly unknown[];
  readonly driver: "new" | "old";
  readonly mig?: boolean;
  readonly railFault?: readonly unknown[];
  readonly instant?: boolean;
  readonly json?: boolean;
}
