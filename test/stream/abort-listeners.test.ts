import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { forget, listen } from "../../src/stream/abort-listeners.ts";

describe("listeners of one signal", () => {
  test("each is called once when it aborts, and those that were forgotten are not", () => {
    const stop = new AbortController();
    const called: number[] = [];
    const listeners = [0, 1, 2, 3].map((i) => (): void => void called.push(i));
    for (const listener of listeners) listen(stop.signal, listener);
    forget(stop.signal, listeners[1]!);
    stop.abort();
    stop.abort();
    expect(called).toEqual([0, 2, 3]);
  });

  test("a thousand of them are one to the signal, and none when the last is forgotten", () => {
    const { signal } = new AbortController();
    const listeners = Array.from({ length: 1000 }, () => (): void => undefined);
    for (const listener of listeners) listen(signal, listener);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    for (const listener of listeners) forget(signal, listener);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    listen(signal, listeners[0]!);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
  });

  test("one that forgets another while the signal aborts keeps it from being called", () => {
    const stop = new AbortController();
    const called: string[] = [];
    const second = (): void => void called.push("second");
    listen(stop.signal, () => {
      called.push("first");
      forget(stop.signal, second);
    });
    listen(stop.signal, second);
    stop.abort();
    expect(called).toEqual(["first"]);
  });
});
