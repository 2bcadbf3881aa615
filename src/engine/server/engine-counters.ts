/** What the server has done since it started. */
export class EngineCounters {
  requests = 0;
  refused = 0;
  promptTokens = 0;
  generatedTokens = 0;
  tokenEvents = 0;
  readonly ends: Record<"finished" | "failed" | "cut" | "abandoned", number> = {
    finished: 0,
    failed: 0,
    cut: 0,
    abandoned: 0,
  };
  readonly finishReasons: Record<"stop" | "length", number> = { stop: 0, length: 0 };
}
