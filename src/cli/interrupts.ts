/** Ctrl-C and polite signals: what they end, and whether one came. */
export interface Interrupts {
  /** Aborts at the first signal that is ours to obey. */
  readonly signal: AbortSignal;
  /** The first signal that was ours. */
  readonly received: NodeJS.Signals | undefined;
  /** While a command of the user's runs, signals are its own, and it says when we end. */
  leaveTo(whom: "the command" | "us"): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Catches signals for the whole program. The second one of ours ends it at once. */
export function catchInterrupts(): Interrupts {
  const controller = new AbortController();
  let received: NodeJS.Signals | undefined;
  let isOurs = true;
  const catchOne = (signal: NodeJS.Signals): void => {
    if (!isOurs) return;
    if (received !== undefined) process.exit(130);
    received = signal;
    controller.abort(new Error(`interrupted by ${signal}`));
  };
  for (const signal of SIGNALS) process.on(signal, catchOne);
  return {
    signal: controller.signal,
    get received() {
      return received;
    },
    leaveTo(whom) {
      isOurs = whom === "us";
    },
  };
}
