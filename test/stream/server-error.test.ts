import { describe, expect, test } from "vitest";
import { retryAfterS } from "../../src/stream/retry-after.ts";
import { errorIn, errorInBody, errorInText } from "../../src/stream/server-error.ts";

describe("an error envelope", () => {
  test.for([
    [{ error: { message: "a", code: 500 } }, { message: "a", code: 500 }],
    [{ error: { message: "a", code: "rate" } }, { message: "a", code: "rate" }],
    [{ error: { message: "a", code: null } }, { message: "a", code: null }],
    [{ error: "a" }, { message: "a", code: null }],
    [
      { error: true, message: "a" },
      { message: "a", code: null },
    ],
    [{ error: { type: "x" } }, { message: '{"type":"x"}', code: null }],
    [
      { object: "error", message: "a", code: 400 },
      { message: "a", code: 400 },
    ],
    [
      { type: "error", error: { message: "a" } },
      { message: "a", code: null },
    ],
    [{ error: ["a"] }, { message: '["a"]', code: null }],
  ] as const)("%j", ([chunk, expected]) => {
    expect(errorIn(chunk)).toEqual(expected);
  });

  test.for([
    [{}],
    [{ error: null }],
    [{ error: {} }],
    [{ error: "" }],
    [{ error: false }],
    [{ error: [] }],
  ])("%j is none", ([chunk]) => {
    expect(errorIn(chunk!)).toBeUndefined();
  });

  test("the text of an event or field may be JSON or bare", () => {
    expect(errorInText('{"code":400,"message":"a"}')).toEqual({ message: "a", code: 400 });
    expect(errorInText('{"error":{"message":"a"}}')).toEqual({ message: "a", code: null });
    expect(errorInText("device lost")).toEqual({ message: "device lost", code: null });
    expect(errorInText("")).toBeUndefined();
    expect(errorInText("null")).toBeUndefined();
  });

  test("a body may be a list of one, a detail, a message, or no JSON", () => {
    expect(errorInBody('[{"error":{"message":"a"}}]')?.message).toBe("a");
    expect(errorInBody('{"detail":[{"loc":1}]}')?.message).toBe('[{"loc":1}]');
    expect(errorInBody('{"message":"a"}')?.message).toBe("a");
    expect(errorInBody('{"x":1}')).toBeUndefined();
    expect(errorInBody("<html>")).toBeUndefined();
  });
});

describe("Retry-After", () => {
  const date = "Wed, 21 Oct 2015 07:28:00 GMT";
  test.for([
    [{ "retry-after": "2" }, 2],
    [{ "retry-after": "0.5" }, 0.5],
    [{ "retry-after": "Wed, 21 Oct 2015 07:28:30 GMT", date }, 30],
    [{ "retry-after": "Wed, 21 Oct 2015 07:27:00 GMT", date }, 0],
    [{ "retry-after": "Wed, 21 Oct 2015 07:28:30 GMT" }, null],
    [{ "retry-after": "soon" }, null],
    [{}, null],
  ] as const)("%j is %s s", ([headers, expected]) => {
    expect(retryAfterS(new Map(Object.entries(headers)))).toBe(expected);
  });
});
