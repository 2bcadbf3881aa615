interface Listeners {
  readonly each: Set<() => void>;
  readonly onAbort: () => void;
}

const listenersOf = new WeakMap<AbortSignal, Listeners>();

/**
 * Calls `listener` once when the signal aborts, like `addEventListener`.
 *
 * A signal looks through all its listeners whenever one comes or goes, which a thousand requests in
 * flight would pay for with each request: of these it knows one.
 */
export function listen(signal: AbortSignal, listener: () => void): void {
  const known = listenersOf.get(signal);
  if (known !== undefined) {
    known.each.add(listener);
    return;
  }
  const each = new Set([listener]);
  const onAbort = (): void => {
    for (const listener of each) listener();
  };
  listenersOf.set(signal, { each, onAbort });
  signal.addEventListener("abort", onAbort, { once: true });
}

/** Forgets a listener; with the last one nothing is left on the signal. */
export function forget(signal: AbortSignal, listener: () => void): void {
  const known = listenersOf.get(signal);
  if (known === undefined || !known.each.delete(listener) || known.each.size > 0) return;
  listenersOf.delete(signal);
  signal.removeEventListener("abort", known.onAbort);
}
