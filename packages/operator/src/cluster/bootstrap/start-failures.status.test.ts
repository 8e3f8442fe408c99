import assert from "node:assert/strict";
import {
  anObservation,
  healthy,
  leader,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Action } from "../model/action.ts";
import type { Observation } from "../model/observation.ts";
import { plan } from "../plan.ts";
import { statusAfter } from "../status.ts";

const DONE = { kind: "done" } as const;
const SEED = { name: "a", incarnation: 1, purpose: "Seed" } as const;
const NEVER_IDENTIFIED = { memberId: undefined, clusterId: undefined, incarnation: 1 } as const;
const ENDED = unknown("a", { listed: false, pod: { ...NEVER_IDENTIFIED, stage: "ended", trouble: "OOMKilled" } });

function founding(status: EtcdClusterStatus, given: ObservationGiven = {}): Observation {
  return anObservation({ size: 1, members: [], membership: "unknown", status, ...given });
}

/** The status after the last of so many attempts, each abandoned at once. */
function afterFailures(count: number): { readonly status: EtcdClusterStatus; readonly action: Action } {
  let status: EtcdClusterStatus = {};
  let action: Action = { kind: "none", reason: "UpToDate", message: "" };
  for (let failed = 0; failed < count; failed += 1) {
    const seen = founding({ ...status, incarnation: 1, memberIntents: [SEED] }, { members: [ENDED] });
    action = plan(seen);
    status = statusAfter(seen, action, DONE);
  }
  return { status, action };
}

function waitMs(status: EtcdClusterStatus, more: Partial<Observation> = {}): number {
  const action = plan({ ...founding(status), ...more });
  if (action.kind === "declare-seeds") return 0;
  assert.deepEqual([action.kind, action.reason], ["hold", "StartingOver"]);
  return action.kind === "hold" ? (action.recheckAfterMs ?? -1) : -1;
}

describe("a bootstrap that was abandoned", () => {
  test("says why, and how often it has failed", () => {
    const { status, action } = afterFailures(2);
    assert.equal(action.kind, "forget-intents");
    assert.equal(status.startFailures?.count, 2);
    assert.match(status.startFailures.reason, /^a \(its pod has ended: OOMKilled\) cannot continue$/);
  });

  test("begins again at once the first time, then later and later, up to five minutes", () => {
    const waits = [1, 2, 3, 4, 8, 20].map((count) => waitMs(afterFailures(count).status));
    assert.deepEqual(waits, [0, 5_000, 10_000, 20_000, 300_000, 300_000]);
  });

  test("reports in status why it waits and when it begins again", () => {
    const { status } = afterFailures(3);
    const seen = founding(status);
    const { reason } = statusAfter(seen, plan(seen), DONE);
    assert.match(
      String(reason),
      /^3 attempts have failed, the last because a .*\. The next attempt starts at 2030-01-01T00:00:10Z/,
    );
  });

  test("begins again when its time has come, whatever process looks", () => {
    const { status } = afterFailures(3);
    const seen = founding(status);
    assert.equal(waitMs(status, { nowMs: seen.nowMs + 9_999 }), 1);
    assert.equal(waitMs(status, { nowMs: seen.nowMs + 10_000 }), 0);
  });

  test("begins again at once with an edited spec, and counts from one", () => {
    const { status } = afterFailures(5);
    const seen = founding(status);
    const edited = { ...seen.cluster, metadata: { ...seen.cluster.metadata, generation: 77 } };
    assert.equal(waitMs(status, { cluster: edited }), 0);
  });

  test("does not wait for a clock that was ahead of ours", () => {
    const { status } = afterFailures(5);
    assert.equal(waitMs(status, { nowMs: founding({}).nowMs - 3_600_000 }), 0);
  });
});

describe("a new member that was abandoned", () => {
  const lost = unknown("b", { listed: "learner", pod: null });
  const failing = (status: EtcdClusterStatus) => {
    const seen = anObservation({ size: 2, members: [leader("a"), lost], status: { ...RUNNING, ...status } });
    const action = plan(seen);
    assert.equal(action.kind, "remove-member");
    return { action, status: statusAfter(seen, action, DONE) };
  };
  const RUNNING = anObservation().cluster.status ?? {};

  test("is followed by another at once the first time, and after a growing while from then on", () => {
    const first = failing({});
    assert.ok(first.action.kind === "remove-member" && first.action.successor);
    assert.match(String(first.status.startFailures?.reason), /^b never joined: /);
    const second = failing({ startFailures: first.status.startFailures });
    assert.ok(second.action.kind === "remove-member" && !second.action.successor);
    const waiting = plan(
      anObservation({ size: 2, members: [leader("a")], status: { ...second.status, memberIntents: [] } }),
    );
    assert.deepEqual([waiting.kind, waiting.reason], ["hold", "ScalingUp"]);
    assert.match(waiting.message, /^2 attempts have failed, the last because b never joined: /);
  });

  test("is forgotten when one becomes a voter", () => {
    const { status } = failing({});
    const seen = anObservation({ size: 2, members: [leader("a"), healthy("c", { listed: "learner" })], status });
    const action: Action = { kind: "promote-member", member: { name: "c", id: "c" }, reason: "UpToDate", message: "" };
    assert.equal(statusAfter(seen, action, DONE).startFailures, undefined);
  });
});
