import { describe, expect, test } from "vitest";
import { podNameFor } from "./pod-name.ts";

describe("the name of a pod for one piece of work", () => {
  test.each([
    ["nightly", "worker", "nightly-worker-abcdefghij"],
    ["nightly", "drill", "nightly-drill-abcdefghij"],
    ["with.dots", "worker", "with-dots-worker-abcdefghij"],
    ["a".repeat(253), "worker", `${"a".repeat(45)}-worker-abcdefghij`],
    [`${"a".repeat(44)}.b`, "worker", `${"a".repeat(44)}-worker-abcdefghij`],
  ] as const)("of %s for a %s is that of a pod and of a host", (owner, purpose, expected) => {
    const found = podNameFor(owner, purpose, "abcdefghij");
    expect(found).toBe(expected);
    expect(found.length).toBeLessThanOrEqual(63);
  });
});
