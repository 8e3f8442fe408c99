import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { everyMistake, failureOfHalting } from "./halting.ts";

describe("what does not exist, be it an image, a version or a node", () => {
  test("costs one member at most, until it is corrected; then all is well again", () => {
    const failures = [...everyMistake()].flatMap((mistake) => {
      const why = failureOfHalting(mistake);
      return why ? [`${JSON.stringify(mistake)}\n  ${why}`] : [];
    });
    assert.deepEqual(failures, []);
  }, 300_000);
});
