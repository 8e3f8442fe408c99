import assert from "node:assert/strict";
import { rfc3339 } from "@etcd-operator/kubernetes-client";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { anObservation, CLUSTER_ID, NOW_MS } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../api/etcd-cluster.ts";
import type { ActionOutcome, Step } from "./model/action.ts";
import { afterAction, isRecordOnly } from "./record.ts";

const why = { reason: "UpToDate", message: "m" } as const;
const now = rfc3339(NOW_MS);
const failed = "c never joined";
const startFailures = { count: 1, generation: 1, lastTime: now, nextTime: now, reason: failed };
const toJoin = (name: string) => ({ name, incarnation: 3, purpose: "Join" as const });

const RUNNING: EtcdClusterStatus = { clusterID: CLUSTER_ID, incarnation: 3, memberIntents: [toJoin("b")] };
const RESTORING: EtcdClusterStatus = { ...RUNNING, ...inRestore("Fencing") };

function recordedBy(step: Step, status: EtcdClusterStatus, outcome: ActionOutcome = { kind: "done" }) {
  return afterAction(anObservation({ status }), { ...step, ...why }, outcome);
}

type Row = readonly [what: string, step: Step, recorded: object, status: EtcdClusterStatus];

const ROWS: readonly Row[] = [
  [
    "the initial members",
    { kind: "declare-seeds", names: ["a"], incarnation: 4 },
    { incarnation: 4, memberIntents: [{ name: "a", incarnation: 4, purpose: "Seed" }] },
    RUNNING,
  ],
  [
    "the member that comes next",
    { kind: "declare-join", name: "c" },
    { memberIntents: [toJoin("b"), toJoin("c")] },
    RUNNING,
  ],
  ["a member that is declared again, once", { kind: "declare-join", name: "b" }, {}, RUNNING],
  ["that a member does not come", { kind: "forget-intents", names: ["b"] }, { memberIntents: [] }, RUNNING],
  [
    "why a member does not come",
    { kind: "forget-intents", names: ["b"], failed },
    { memberIntents: [], startFailures },
    RUNNING,
  ],
  [
    "which cluster it is, and that its start did not fail",
    { kind: "record-cluster", clusterId: "c2", incarnation: 4 },
    { clusterID: "c2", incarnation: 4, startFailures: undefined },
    RUNNING,
  ],
  [
    "the deleted EtcdCluster that it goes on as",
    { kind: "reattach", clusterId: "c2", incarnation: 4, from: "u" },
    { clusterID: "c2", incarnation: 4, reattachedFrom: "u" },
    RUNNING,
  ],
  [
    "the cluster of pods without an owner and without claims",
    { kind: "adopt-orphans", clusterId: "c2", incarnation: 4, from: "", pods: [] },
    { clusterID: "c2", incarnation: 4 },
    RUNNING,
  ],
  [
    "that a start did not fail",
    { kind: "promote-member", member: { name: "b", id: "b" } },
    { startFailures: undefined },
    RUNNING,
  ],
  [
    "the member that replaces one that was removed",
    { kind: "remove-member", member: { name: "b", id: "b" }, because: "dead", successor: "c" },
    { memberIntents: [toJoin("c")] },
    RUNNING,
  ],
  [
    "that all is in a store",
    { kind: "note-saved", allSaved: true },
    { restore: { ...RESTORING.restore, allSaved: true } },
    RESTORING,
  ],
  [
    "when room was made",
    { kind: "discard-set-aside", pods: [], claims: [], noRoomFor: "a" },
    { restore: { ...RESTORING.restore, roomMadeAt: now } },
    RESTORING,
  ],
  [
    "nothing where what was set aside is not needed",
    { kind: "discard-set-aside", pods: [], claims: [] },
    {},
    RESTORING,
  ],
  ["nothing of an action that only changes objects", { kind: "delete-pods", pods: [] }, {}, RUNNING],
];

describe("on record is", () => {
  test.each(ROWS)("%s", (_, step, recorded, status) => {
    assert.deepEqual(recordedBy(step, status).cluster.status, { ...status, ...recorded });
  });

  test.each(ROWS)("nothing while the action is put off: %s", (...[, step, , status]) => {
    const postponed: ActionOutcome = { kind: "postponed", why: "not now", retryMs: 1_000 };
    assert.deepEqual(recordedBy(step, status, postponed).cluster.status, status);
  });
});

test("a member that was removed is not in the list any more", () => {
  const step: Step = { kind: "remove-member", member: { name: "b", id: "b" }, because: "dead" };
  const { membership } = recordedBy(step, RUNNING);
  assert.deepEqual(membership.kind === "confirmed" && membership.members.map(({ id }) => id), ["a", "c"]);
});

test("an action that only records does nothing else, and one that checks something first does", () => {
  const isOnly = (step: Step) => isRecordOnly({ ...step, ...why });
  assert.equal(isOnly({ kind: "forget-intents", names: [] }), true);
  assert.equal(isOnly({ kind: "declare-join", name: "c" }), false);
  assert.equal(isOnly({ kind: "declare-seeds", names: [], incarnation: 1 }), false);
});
