import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { figure, median, table } from "./figure.ts";

describe("figures", () => {
  test("the median is the middle, or the mean of the two in the middle", () => {
    assert.equal(median([3, 1, 2]), 2);
    assert.equal(median([4, 1, 3, 2]), 2.5);
  });

  test("a goal is met when the ratio to the limit is small enough", () => {
    const given = { name: "start", unit: "ms", values: [30, 20, 40], limits: [20, 20, 20] };
    assert.deepEqual(figure({ ...given, goal: 1.5 }), {
      name: "start",
      unit: "ms",
      value: 30,
      limit: 20,
      ratio: 1.5,
      goal: 1.5,
      met: true,
      range: [20, 40],
      runs: 3,
    });
    assert.equal(figure({ ...given, goal: 1.4 }).met, false);
  });

  test("the table names a goal that is missed", () => {
    assert.match(
      table([figure({ name: "start", unit: "ms", values: [30], limits: [20], goal: 1 })]),
      /start .*MISSED$/,
    );
  });

  test("the table shows what a figure is the sum of", () => {
    const shown = table([
      figure({ name: "memory", unit: "MiB", values: [3], limits: [4], goal: 1, parts: { store: 1, apiserver: 2 } }),
    ]);
    assert.match(shown, /^memory +3\.0 MiB .*met\n {2}store +1\.0 MiB\n {2}apiserver +2\.0 MiB$/m);
  });
});
