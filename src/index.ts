export { nowMs } from "./clock.ts";
export { aboveIdleJ } from "./energy/above-idle.ts";
export type { EnergyEstimate, EstimateMethod } from "./energy/energy-estimate.ts";
export { idleLine, samplerCostLine, windowLine } from "./energy/energy-lines.ts";
export type { EnergyWindow } from "./energy/energy-window.ts";
export { type EstimateOptions, estimate } from "./energy/estimate.ts";
export type { EstimatedWindow, SecondEstimate } from "./energy/estimated-window.ts";
export { integrate } from "./energy/integrate.ts";
export { joulesPerToken } from "./energy/joules-per-token.ts";
export type { IdleLevel } from "./energy/judge-response.ts";
export type { Metrics } from "./energy/metrics.ts";
export { parseLine } from "./energy/parse-line.ts";
export type { PowerSample } from "./energy/power-sample.ts";
export type { RailHead } from "./energy/rail-head.ts";
export type { RailReason, Refusal, Refuses } from "./energy/rail-refusal.ts";
export { type RunRailFacts, runMetrics } from "./energy/run-metrics.ts";
export type { SamplerCost } from "./energy/sampler-cost.ts";
export { type Sensor, settleMs } from "./energy/sensor.ts";
export { sumDevices } from "./energy/sum-devices.ts";
export { sumWindows } from "./energy/sum-windows.ts";
export {
  type TokenCounts,
  type WindowMetricsOptions,
  windowMetrics,
} from "./energy/window-metrics.ts";
export type { EngineBoxOptions, EngineOptions } from "./engine/engine-options.ts";
export type { EngineEnergy, EngineReply, EngineTruth } from "./engine/engine-truth.ts";
export { type Engine, startEngine } from "./engine/start-engine.ts";
export { JoulemarkError, type JoulemarkErrorCode, RailUnreadableError } from "./errors.ts";
export {
  type ListRailsOptions,
  listRails,
  type RailReport,
  type ReadableRail,
  type UnreadableRail,
} from "./rails/list-rails.ts";
export type { IdleLevels, WindowFindings } from "./rails/load-response.ts";
export type { MeterTarget } from "./rails/local-target.ts";
export { EnergyMeter, type LogLine } from "./rails/meter.ts";
export type { MeterOptions, RailName } from "./rails/meter-options.ts";
export { type NvidiaSmiOptions, openNvidiaSmi } from "./rails/nvidia-smi/open-nvidia-smi.ts";
export type { RailGain } from "./rails/rail-gain.ts";
export type { RailSampler, WindowOptions } from "./rails/sampler.ts";
export type { SensorCheck } from "./rails/sensor-check.ts";
export type {
  MeasuredRailWindow,
  RailDevice,
  RailEvent,
  RailFacts,
  RailWindow,
  RefusedRailWindow,
} from "./rails/source.ts";
export { readRun } from "./records/read-run.ts";
export { rederive } from "./records/rederive.ts";
export type { RequestLine } from "./records/request-line.ts";
export type { CellPlan, HostFacts, RunHeader } from "./records/run-header.ts";
export type { CellRecord, Reason, ReasonCode, RunRecord } from "./records/run-record.ts";
export type {
  ErrorOutcome,
  OkOutcome,
  OutcomeFlag,
  RequestErrorKind,
  RequestOutcome,
} from "./stream/request-outcome.ts";
export { type StreamRequestOptions, streamRequest } from "./stream/stream-request.ts";
export { parseTarget, type TargetOptions } from "./target/parse-target.ts";
export type { RequestTarget } from "./target/request-target.ts";
export type { Target } from "./target/target.ts";
