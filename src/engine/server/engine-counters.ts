/**
 * What the server has done since it started.
 *
 * Of the requests for text that are over, each is counted once more: as refused, or by its end.
 */
export class EngineCounters {
  /** For text; questions about models, health and the like are none. */
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
