import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { everyMistake, failureOfHalting } from "./halting.ts";

describe("what does not exist, be it an image, a version or a node", () => {
  test("costs one member at most, until it is corrected; then all is healthy again", async () => {
    const failures: string[] = [];
    for (const mistake of everyMistake()) {
      const why = await failureOfHalting(mistake);
      if (why) failures.push(`${JSON.stringify(mistake)}\n  ${why}`);
    }
    assert.deepEqual(failures, []);
  }, 300_000);
});
