import fc from "fast-check";
import { expect, test } from "vitest";
import { replyTokenText } from "../../../src/engine/schedule/reply-text.ts";
import { Generation } from "../../../src/engine/server/generation.ts";
import { stopPlace } from "../../../src/engine/server/stop-place.ts";

const tokensOf = (key: number, count: number): string[] =>
  Array.from({ length: count }, (_, place) => replyTokenText(key, place));

test("is where a search through the whole text finds the first stop text to be complete", () => {
  const piece = fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 12 }));
  fc.assert(
    fc.property(fc.nat(), fc.array(piece, { minLength: 1, maxLength: 3 }), (key, pieces) => {
      const tokens = tokensOf(key, 120);
      const text = tokens.join("");
      const stop = pieces.map(([at, length]) => text.slice(at, at + length)).filter(Boolean);
      const found = stopPlace(key, stop, 0, 120);
      // Token by token: after which is one of them there, and where does it begin?
      const count = tokens.findIndex((_, i) => {
        const sofar = tokens.slice(0, i + 1).join("");
        return stop.some((entry) => sofar.includes(entry));
      });
      if (count < 0) {
        expect(found).toBeUndefined();
        return;
      }
      const sofar = tokens.slice(0, count + 1).join("");
      const at = stop.map((entry) => sofar.indexOf(entry)).filter((i) => i >= 0);
      expect(found).toEqual({ tokens: count + 1, textUnits: Math.min(...at) });
    }),
  );
});

test("is nowhere without a stop text, behind the reply's end, or before the least tokens", () => {
  const tokens = tokensOf(5, 40);
  const stop = tokens[20]!;
  const first = tokens.indexOf(stop);
  expect(stopPlace(5, [], 0, 40)).toBeUndefined();
  expect(stopPlace(5, [stop], 0, first)).toBeUndefined();
  expect(stopPlace(5, [stop], 0, 40)!.tokens).toBe(first + 1);
  expect(stopPlace(5, [stop], first + 2, 40)?.tokens).not.toBe(first + 1);
});

test("a reply sends what stands before it, in however many tokens each step comes", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.nat(200),
      fc.array(fc.integer({ min: 1, max: 4 })),
      (key, at, sizes) => {
        const text = tokensOf(key, 80).join("");
        const place = stopPlace(key, [text.slice(at, at + 9)], 0, 80)!;
        const generation = new Generation(
          {
            id: 0,
            choice: 0,
            key,
            promptTokens: 1,
            replyTokens: place.tokens,
            finishReason: "stop",
            textUnits: place.textUnits,
          },
          0,
        );
        let sent = "";
        for (let firstToken = 0, i = 0; firstToken < place.tokens; i++) {
          const tokens = Math.min(sizes[i] ?? 1, place.tokens - firstToken);
          const isLast = firstToken + tokens === place.tokens;
          const progress = { id: 0, tokens, firstToken, isLast, cachedTokens: 0 };
          const drafts = { draftTokens: 0, acceptedDraftTokens: 0 };
          const piece = generation.push({ ...progress, ...drafts }, i);
          sent += piece.text;
          expect(piece.finishReason).toBe(isLast ? "stop" : undefined);
          firstToken += tokens;
        }
        expect(sent).toBe(text.slice(0, place.textUnits));
      },
    ),
  );
});
