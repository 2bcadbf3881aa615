import { expect, test } from "vitest";

interface Slots {
  status(): { active: number; queued: number };
  take(signal: AbortSignal): Promise<() => void>;
}

const { Slots } = (await import("../../../examples/llama-server/slots.mjs" as string)) as {
  Slots: new (count: number) => Slots;
};

const never = new AbortController().signal;

test("slots are given out in the order in which they were asked for", async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  const giveBack = await slots.take(never);
  const others = ["first", "second"].map(async (name) => {
    const done = await slots.take(never);
    order.push(name);
    done();
  });
  expect(slots.status()).toEqual({ active: 1, queued: 2 });
  giveBack();
  await Promise.all(others);
  expect(order).toEqual(["first", "second"]);
  expect(slots.status()).toEqual({ active: 0, queued: 0 });
});

test("who gives up leaves the queue, and takes no slot later", async () => {
  const slots = new Slots(1);
  const giveBack = await slots.take(never);
  const leaver = new AbortController();
  const left = slots.take(leaver.signal);
  const stays = slots.take(never);
  leaver.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  expect(slots.status()).toEqual({ active: 1, queued: 1 });
  giveBack();
  (await stays)();
  await expect(slots.take(leaver.signal)).rejects.toThrow("gone");
  expect(slots.status()).toEqual({ active: 0, queued: 0 });
});
