import { expect, test } from "vitest";
import { byKind, number, object, type Shape } from "../../../src/engine/nvidia-smi/shape.ts";

function problemsOf(shape: Shape, json: string): string[] {
  const problems: string[] = [];
  shape(JSON.parse(json), "it", problems);
  return problems;
}

/** Keys that every object has without anyone giving them. */
test.each(["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__"])(
  "a key %s is no option, and a value of that kind no kind",
  (key) => {
    const one = object({}, { size: number() });
    expect(problemsOf(one, `{"${key}":1}`)).toEqual([`it.${key}: no such option`]);
    const kinds = byKind({ die: [{ code: number() }] });
    expect(problemsOf(kinds, `{"kind":"${key}"}`)).toEqual([`it.kind: "${key}" is not "die"`]);
    expect(problemsOf(kinds, `{"kind":{"toString":1}}`)).toHaveLength(1);
    expect(problemsOf(object({ [key]: number() }), "{}")).toEqual([`it.${key}: missing`]);
  },
);
