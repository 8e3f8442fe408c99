import assert from "node:assert/strict";
import { conditionOf } from "@etcd-operator/kubernetes-client";
import {
  aRestoreSeen,
  CALLED_OFF,
  NOW_MS,
  SAFETY,
  SNAPSHOT,
  VERIFIED,
} from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { describe, test } from "vitest";
import type { Action, Hold } from "./action.ts";
import { statusAfter } from "./status.ts";

const because = { reason: "Restoring", message: "It is so" } as const;
const holding = (progress?: Hold["progress"]): Action => ({
  kind: "hold",
  ...because,
  phase: "Verifying",
  ...(progress && { progress }),
});

describe("the status of a restore", () => {
  test("keeps its last word when what is left to do after it fails", () => {
    const seen = aRestoreSeen({ status: { phase: "Succeeded", succeeded: true } as never });
    assert.deepEqual(statusAfter(seen, { kind: "obstructed", ...because }), seen.restore.status);
  });

  test("starts again with each attempt, and keeps only how to undo the last", () => {
    const old = {
      phase: "Failed",
      succeeded: false,
      reason: "no",
      finishedAt: "x",
      snapshot: SNAPSHOT,
      safetySnapshot: SAFETY,
    };
    const seen = aRestoreSeen({ metadata: { generation: 4 }, status: { ...old, conditions: [VERIFIED] } as never });
    const { conditions, ...status } = statusAfter(seen, { kind: "begin", ...because });
    const startedAt = "2030-01-01T12:00:00Z";
    assert.deepEqual(status, { observedGeneration: 4, phase: "Verifying", startedAt, safetySnapshot: SAFETY });
    assert.deepEqual(
      conditions?.map(({ type, status: is, observedGeneration }) => [type, is, observedGeneration]),
      [
        ["Restored", "Unknown", 4],
        ["Complete", "False", 4],
        ["Ready", "False", 4],
        ["Failed", "False", 4],
        ["Stalled", "False", 4],
      ],
    );
  });

  test("ends a wait by its conditions: Complete and Ready when it succeeds, Failed and Stalled when it does not", () => {
    const ends = (action: Action) => {
      const { conditions = [] } = statusAfter(aRestoreSeen(), action);
      return conditions.filter(({ type, status }) => type !== "Restored" && status === "True").map(({ type }) => type);
    };
    assert.deepEqual(ends(holding({ step: "Reading" })), []);
    assert.deepEqual(ends({ kind: "succeed", ...because }), ["Complete", "Ready"]);
    assert.deepEqual(ends({ kind: "fail", ...because }), ["Failed", "Stalled"]);
  });

  test("reports a step with its start time, and forgets it when there is none", () => {
    const first = statusAfter(aRestoreSeen(), holding({ step: "Reading", bytes: 1, trouble: "again" }));
    assert.deepEqual(first.progress, { startedAt: "2030-01-01T12:00:00Z", step: "Reading", bytes: 1 });
    const later = aRestoreSeen({ status: first, nowMs: NOW_MS + 5_000 });
    assert.equal(
      statusAfter(later, holding({ step: "Reading", bytes: 2 })).progress?.startedAt,
      "2030-01-01T12:00:00Z",
    );
    assert.equal(statusAfter(later, holding({ step: "Other" })).progress?.startedAt, "2030-01-01T12:00:05Z");
    assert.equal(statusAfter(later, holding()).progress, undefined);
  });

  test("does not change while nothing does", () => {
    const status = statusAfter(aRestoreSeen(), holding({ step: "Reading" }));
    const later = aRestoreSeen({ status, nowMs: NOW_MS + 60_000 });
    assert.deepEqual(statusAfter(later, holding({ step: "Reading" })), status);
    assert.deepEqual(statusAfter(later, { kind: "none", ...because }), status);
  });

  test("reports that it failed, why, and which check it was", () => {
    const seen = aRestoreSeen({ status: { progress: { startedAt: "x", step: "Reading" } } });
    const status = statusAfter(seen, { kind: "fail", ...because, shows: "Verified" });
    assert.deepEqual([status.phase, status.succeeded, status.reason], ["Failed", false, "It is so"]);
    assert.deepEqual([status.finishedAt, status.progress], ["2030-01-01T12:00:00Z", undefined]);
    for (const type of ["Restored", "Verified"]) assert.equal(conditionOf(status.conditions, type)?.status, "False");
  });

  test("reports that it succeeded, and nothing of what failed on the way", () => {
    const seen = aRestoreSeen({ status: { reason: "given up", conditions: [CALLED_OFF] } });
    const status = statusAfter(seen, { kind: "succeed", ...because });
    assert.equal(conditionOf(status.conditions, "Canceled"), undefined);
    assert.deepEqual([status.phase, status.succeeded, status.reason], ["Succeeded", true, undefined]);
    assert.equal(conditionOf(status.conditions, "Restored")?.status, "True");
  });

  test("reports why it is being cancelled before it is", () => {
    const status = statusAfter(aRestoreSeen({ status: { phase: "Restoring" } }), {
      kind: "give-up",
      ...because,
      reason: "SeedFailed",
    });
    assert.deepEqual([status.phase, status.reason, status.succeeded], ["Restoring", "It is so", undefined]);
    assert.equal(conditionOf(status.conditions, "Canceled")?.status, "True");
  });

  test("reports what was verified and what was saved", () => {
    const verified = statusAfter(aRestoreSeen(), { kind: "record-verified", ...because, snapshot: SNAPSHOT });
    assert.deepEqual(verified.snapshot, SNAPSHOT);
    const seen = aRestoreSeen({ status: verified });
    const saved = statusAfter(seen, { kind: "record-saved", ...because, snapshot: SNAPSHOT, safetySnapshot: SAFETY });
    assert.deepEqual([saved.safetySnapshot, conditionOf(saved.conditions, "Saved")?.status], [SAFETY, "True"]);
    const unsaved = statusAfter(seen, {
      kind: "record-saved",
      ...because,
      snapshot: SNAPSHOT,
      safetySnapshot: undefined,
    });
    assert.deepEqual([unsaved.safetySnapshot, conditionOf(unsaved.conditions, "Saved")?.status], [undefined, "False"]);
  });

  test("cuts what would not fit", () => {
    const status = statusAfter(aRestoreSeen(), { kind: "fail", reason: "NotVerified", message: "x".repeat(100_000) });
    assert.ok((status.reason?.length ?? 0) < 5_000);
  });
});
