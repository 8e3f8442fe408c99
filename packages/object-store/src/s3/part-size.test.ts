import { describe, expect, test } from "vitest";
import { MOST_PARTS, partPlan } from "./part-size.ts";

const MIB = 2 ** 20;
const TIB = 2 ** 40;

describe("partPlan", () => {
  test("sends parts of 6 MiB, three at a time, when nothing is known", () => {
    expect(partPlan()).toEqual({ partBytes: 6 * MIB, parallel: 3 });
  });

  test.each([0.1, 1, 5])("has parts enough for %d TiB, and some to spare", (tebibytes) => {
    const { partBytes } = partPlan(tebibytes * TIB);
    expect(partBytes * MOST_PARTS).toBeGreaterThan(tebibytes * TIB * 1.1);
  });

  test("takes no more memory for what is large, as long as one part fits", () => {
    for (const gibibytes of [1, 10, 100, 200, 400]) {
      const { partBytes, parallel } = partPlan(gibibytes * 1024 * MIB);
      expect(partBytes * parallel).toBeLessThanOrEqual(48 * MIB);
    }
  });

  test("never asks for parts that S3 finds too small", () => {
    expect(partPlan(0, 1).partBytes).toBe(5 * MIB);
  });
});
