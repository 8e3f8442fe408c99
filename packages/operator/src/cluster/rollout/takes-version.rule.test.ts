import assert from "node:assert/strict";
import { anObservation, leader } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { PodSeen } from "../model/observation.ts";
import { takesVersion } from "./takes-version.rule.ts";

const ALL = ["3.2.32", "3.3.25", "3.4.23", "3.5.4", "3.5.30", "3.6.16", "3.7.3"];

/** A pod with these flags alone, in which none of the probes asks for what not every version has. */
function aPod(flags: readonly string[], more: Partial<PodSeen> = {}): PodSeen {
  const [pod] = anObservation({ members: [leader("a")] }).pods;
  assert.ok(pod);
  return { ...pod, flags, asksForLivez: false, ...more };
}

const taking = (pod: PodSeen) => ALL.filter((version) => takesVersion(version, pod));

// What etcd really starts with is proven in takes-version.start.test.ts, except for 3.2, which is hard to come by.
describe("a version is taken", () => {
  const cases: [flag: string, by: readonly string[]][] = [
    ["--quota-backend-bytes=1", ALL],
    ["--experimental-initial-corrupt-check=true", ["3.3.25", "3.4.23", "3.5.4", "3.5.30", "3.6.16"]],
    ["--experimental-compact-hash-check-enabled=true", ["3.5.30", "3.6.16"]],
    ["--experimental-something-else=true", []],
    ["--feature-gates=InitialCorruptCheck=true", ["3.6.16", "3.7.3"]],
    ["--pre-vote=true", ["3.4.23", "3.5.4", "3.5.30", "3.6.16", "3.7.3"]],
    ["--listen-metrics-urls=http://0.0.0.0:2381", ALL.slice(1)],
    ["--auto-compaction-mode=periodic", ALL.slice(1)],
    ["--auto-compaction-retention=30m", ALL.slice(1)],
    ["--max-request-bytes=1", ALL.slice(1)],
  ];
  for (const [flag, by] of cases) {
    test(`with ${flag} by ${by.length > 0 ? by.join(", ") : "none"}`, () => assert.deepEqual(taking(aPod([flag])), by));
  }

  test("only if it answers the probes of the pod", () => {
    assert.deepEqual(taking(aPod([], { asksForLivez: true })), ["3.5.30", "3.6.16", "3.7.3"]);
  });

  test("never in a pod of coreos/etcd-operator, which ends with its data when an image cannot be pulled", () => {
    assert.deepEqual(taking(aPod([], { gate: "absent" })), []);
  });

  test("only if it is one", () => {
    assert.equal(takesVersion("latest", aPod([])), false);
  });
});
