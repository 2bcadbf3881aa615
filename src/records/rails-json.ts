import { finiteSorted, type Metrics } from "../energy/metrics.ts";
import { type Refusal, refusal } from "../energy/rail-refusal.ts";
import type { RailReport } from "../rails/list-rails.ts";

/** What `joulemark rails --json` prints. */
export interface RailsRecord {
  readonly schema: "joulemark.rails/1";
  readonly rails: readonly RailReport[];
  readonly metrics: Metrics;
  readonly validity: readonly Refusal[];
  readonly warnings: readonly string[];
}

/** The rails as one object: the watts of now as figures, the unreadable ones as refusals. */
export function railsJson(reports: readonly RailReport[]): RailsRecord {
  const figures: Record<string, number> = {};
  for (const report of reports) {
    if (report.state === "unreadable") continue;
    const { facts, readings } = report;
    if (readings.length < facts.devices.length) continue;
    figures[`${facts.head}_power_now_w`] = readings.reduce((sum, { powerW }) => sum + powerW, 0);
  }
  return {
    schema: "joulemark.rails/1",
    rails: reports,
    metrics: finiteSorted(figures),
    validity: reports.flatMap((report) =>
      report.state === "unreadable"
        ? [refusal("rail_unreadable", `${report.source}: ${report.why}; ${report.remedy}`)]
        : [],
    ),
    warnings: reports.flatMap((report) =>
      report.state === "readable" ? report.facts.warnings : [],
    ),
  };
}
