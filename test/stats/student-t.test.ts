import { expect, test } from "vitest";
import { studentT95 } from "../../src/stats/student-t.ts";

test.each([
  [1, 12.7062047],
  [2, 4.3026527],
  [3, 3.1824463],
  [4, 2.7764451],
  [5, 2.5705818],
  [10, 2.2281389],
  [29, 2.0452296],
  [30, 2.0422725],
  [120, 1.97993],
])("Student's t of %i degrees of freedom stays within ±%f in 95 %% of all cases", (degrees, t) => {
  expect(studentT95(degrees)).toBeCloseTo(t, 5);
});

test("of many degrees of freedom it is that of the normal distribution", () => {
  expect(studentT95(1_000_000)).toBeCloseTo(1.959966, 5);
});
