import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { everyFounding, failureOfFounding } from "./founding.ts";

describe("a cluster that is being bootstrapped", () => {
  test.each([
    { hasClaims: true, where: "on claims" },
    { hasClaims: false, where: "without claims" },
  ])("is completed, whatever has become of its initial members $where", { timeout: 240_000 }, async ({ hasClaims }) => {
    const known = new Set<string>();
    const failures: string[] = [];
    for (const founding of everyFounding(hasClaims)) {
      const why = await failureOfFounding(founding, known);
      if (why) failures.push(`${JSON.stringify(founding)}\n  ${why}`);
    }
    assert.deepEqual(failures.slice(0, 3), []);
  });
});
