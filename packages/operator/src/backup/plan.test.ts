import assert from "node:assert/strict";
import { rfc3339 } from "@etcd-operator/kubernetes-client";
import {
  aBackupSeen,
  aRun,
  failed,
  HOUR_MS,
  MINUTE_MS,
  NOW_MS,
  type SeenGiven,
  succeeded,
} from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { describe, test } from "vitest";
import { FINALIZER } from "./finalizer.ts";
import { plan } from "./plan.ts";

const ago = (ms: number) => rfc3339(NOW_MS - ms);
const ahead = (ms: number) => rfc3339(NOW_MS + ms);
const HOURLY = { policy: { backupIntervalInSecond: 3600 }, metadata: { finalizers: [FINALIZER] } };
const NIGHTLY = { policy: { schedule: "0 3 * * *" }, metadata: { finalizers: [FINALIZER] } };
const condition = (reason: string, status: "True" | "False" | "Unknown" = "False") => [
  { type: "Succeeded", status, reason, message: "" },
];

const MENDABLE = { observedGeneration: 1, succeeded: false, attempts: 1, lastRun: ago(HOUR_MS) };
const mendableSince = (ms: number) =>
  condition("NeedsAttention").map((each) => ({ ...each, lastTransitionTime: ago(ms) }));

/** The action in short; of a start its attempt and when it counts as due. */
function planned(given: SeenGiven): string {
  const action = plan(aBackupSeen(given));
  if (action.kind === "hold" || action.kind === "none") return `${action.kind} ${action.reason}`;
  if (action.kind !== "start-run") return action.kind;
  const { attempt, slotMs, nextRunMs } = action.about;
  const next = nextRunMs === undefined ? "" : `, next ${rfc3339(nextRunMs)}`;
  return `start attempt ${attempt} of ${rfc3339(slotMs)}${next}`;
}

describe("a backup that is taken once", () => {
  test.each<[string, SeenGiven, string]>([
    ["begins at once", {}, "start attempt 1 of 2030-01-15T10:00:00Z"],
    ["gives the finalizer back that it had as a periodic one", { ...HOURLY, policy: {} }, "remove-finalizer"],
    ["is over when it has succeeded", { status: { observedGeneration: 1, succeeded: true } }, "none Finished"],
    [
      "is over when it failed for good",
      { status: { observedGeneration: 1, succeeded: false, conditions: condition("GaveUp") } },
      "none Finished",
    ],
    [
      "begins again when its spec is edited, whatever came of it before",
      { metadata: { generation: 2 }, status: { observedGeneration: 1, succeeded: true, lastRun: ago(HOUR_MS) } },
      "start attempt 1 of 2030-01-15T10:00:00Z",
    ],
    ["of coreos/etcd-operator that succeeded is left alone", { status: { succeeded: true } }, "none Finished"],
    [
      "of coreos/etcd-operator that failed is left alone",
      { status: { succeeded: false, Reason: "x" } },
      "none Finished",
    ],
    [
      "waits after a failure",
      { status: { observedGeneration: 1, attempts: 1, lastErrorDate: ago(9_000) } },
      "hold Retrying",
    ],
    [
      "is tried again when the pause is over",
      { status: { observedGeneration: 1, attempts: 1, lastErrorDate: ago(10_000), lastRun: ago(MINUTE_MS) } },
      "start attempt 2 of 2030-01-15T09:59:00Z",
    ],
    [
      "waits longer each time",
      { status: { observedGeneration: 1, attempts: 4, lastErrorDate: ago(79_000) } },
      "hold Retrying",
    ],
    [
      "is checked every five minutes when it has needed a fix for long",
      {
        status: {
          observedGeneration: 1,
          succeeded: false,
          attempts: 1,
          lastErrorDate: ago(299_000),
          conditions: condition("NeedsAttention"),
        },
      },
      "hold Retrying",
    ],
    [
      "is looked at soon when the Secret may come with the same `kubectl apply`",
      { status: { ...MENDABLE, lastErrorDate: ago(10_000), conditions: mendableSince(10_000) } },
      "start attempt 1 of 2030-01-15T09:00:00Z",
    ],
    [
      "is checked less and less often while it is not fixed",
      { status: { ...MENDABLE, lastErrorDate: ago(59_000), conditions: mendableSince(119_000) } },
      "hold Retrying",
    ],
    [
      "and then again after as long as it has been so",
      { status: { ...MENDABLE, lastErrorDate: ago(60_000), conditions: mendableSince(120_000) } },
      "start attempt 1 of 2030-01-15T09:00:00Z",
    ],
    [
      "and that does not count as an attempt",
      {
        status: {
          observedGeneration: 1,
          succeeded: false,
          attempts: 1,
          lastErrorDate: ago(300_000),
          lastRun: ago(HOUR_MS),
          conditions: condition("NeedsAttention"),
        },
      },
      "start attempt 1 of 2030-01-15T09:00:00Z",
    ],
    [
      "begins again at once when it was interrupted, which is no failure",
      {
        status: {
          observedGeneration: 1,
          attempts: 2,
          lastErrorDate: ago(1_000),
          lastRun: ago(HOUR_MS),
          progress: { startedAt: ago(1_000), step: "Streaming the snapshot" },
        },
      },
      "start attempt 2 of 2030-01-15T09:00:00Z",
    ],
  ])("%s", (_, given, expected) => assert.equal(planned(given), expected));
});

describe("a backup at an interval", () => {
  test.each<[string, SeenGiven, string]>([
    ["gets its finalizer first", { ...HOURLY, metadata: {} }, "add-finalizer"],
    ["begins at once", HOURLY, "start attempt 1 of 2030-01-15T10:00:00Z, next 2030-01-15T11:00:00Z"],
    [
      "waits for the next run",
      { ...HOURLY, status: { observedGeneration: 1, succeeded: true, lastRun: ago(10_000), nextRun: ahead(HOUR_MS) } },
      "hold Scheduled",
    ],
    [
      "keeps its distance",
      { ...HOURLY, status: { observedGeneration: 1, lastRun: ago(HOUR_MS + 2_000), nextRun: ago(2_000) } },
      "start attempt 1 of 2030-01-15T09:59:58Z, next 2030-01-15T10:59:58Z",
    ],
    [
      "makes up for all that was missed by one run",
      { ...HOURLY, status: { observedGeneration: 1, lastRun: ago(9 * HOUR_MS), nextRun: ago(8 * HOUR_MS) } },
      "start attempt 1 of 2030-01-15T10:00:00Z, next 2030-01-15T11:00:00Z",
    ],
    [
      "is tried again after a failure, before the next run is due",
      {
        ...HOURLY,
        status: {
          observedGeneration: 1,
          succeeded: false,
          attempts: 2,
          lastErrorDate: ago(21_000),
          lastRun: ago(MINUTE_MS),
          nextRun: ahead(59 * MINUTE_MS),
          conditions: condition("AttemptFailed"),
        },
      },
      "start attempt 3 of 2030-01-15T09:59:00Z, next 2030-01-15T10:59:00Z",
    ],
    [
      "does not wait for the pause after a failure when the next run is due before",
      {
        ...HOURLY,
        status: {
          observedGeneration: 1,
          succeeded: false,
          attempts: 5,
          lastErrorDate: ago(1_000),
          lastRun: ago(HOUR_MS),
          nextRun: ago(0),
          conditions: condition("AttemptFailed"),
        },
      },
      "start attempt 6 of 2030-01-15T10:00:00Z, next 2030-01-15T11:00:00Z",
    ],
    [
      "goes on after coreos/etcd-operator, which wrote down its last success only",
      { ...HOURLY, status: { succeeded: true, lastSuccessDate: ago(20 * MINUTE_MS) } },
      "hold Scheduled",
    ],
    [
      "takes a shorter interval up at once",
      {
        ...HOURLY,
        policy: { backupIntervalInSecond: 600 },
        metadata: { ...HOURLY.metadata, generation: 2 },
        status: { observedGeneration: 1, succeeded: true, lastRun: ago(20 * MINUTE_MS), nextRun: ahead(HOUR_MS) },
      },
      "start attempt 1 of 2030-01-15T10:00:00Z, next 2030-01-15T10:10:00Z",
    ],
    [
      "is tried at once when the spec of what fails was edited",
      {
        ...HOURLY,
        metadata: { ...HOURLY.metadata, generation: 2 },
        status: {
          observedGeneration: 1,
          succeeded: false,
          attempts: 1,
          lastErrorDate: ago(1_000),
          lastRun: ago(2_000),
          nextRun: ahead(HOUR_MS),
          conditions: condition("NeedsAttention"),
        },
      },
      "start attempt 1 of 2030-01-15T10:00:00Z, next 2030-01-15T11:00:00Z",
    ],
  ])("%s", (_, given, expected) => assert.equal(planned(given), expected));
});

describe("a backup on a schedule", () => {
  const RAN = { observedGeneration: 1, succeeded: true, lastRun: "2030-01-15T03:00:00Z" };

  test.each<[string, SeenGiven, string]>([
    ["begins with one at once", NIGHTLY, "start attempt 1 of 2030-01-15T10:00:00Z, next 2030-01-16T03:00:00Z"],
    ["waits for its time", { ...NIGHTLY, status: { ...RAN, nextRun: "2030-01-16T03:00:00Z" } }, "hold Scheduled"],
    [
      "makes up for all that was missed by one run",
      { ...NIGHTLY, status: { ...RAN, lastRun: "2030-01-10T03:00:00Z", nextRun: "2030-01-11T03:00:00Z" } },
      "start attempt 1 of 2030-01-11T03:00:00Z, next 2030-01-16T03:00:00Z",
    ],
    [
      "that was edited does not make up for times that were not its own",
      {
        policy: { schedule: "0 9 * * *" },
        metadata: { ...NIGHTLY.metadata, generation: 2 },
        status: { ...RAN, nextRun: "2030-01-16T03:00:00Z" },
      },
      "hold Scheduled",
    ],
    [
      "that was edited while no operator ran still makes up for what was due before",
      {
        policy: { schedule: "0 9 * * *" },
        metadata: { ...NIGHTLY.metadata, generation: 2 },
        status: { ...RAN, lastRun: "2030-01-14T03:00:00Z", nextRun: "2030-01-15T03:00:00Z" },
      },
      "start attempt 1 of 2030-01-15T03:00:00Z, next 2030-01-16T09:00:00Z",
    ],
    [
      "counts from the last success where nothing else is on record",
      { ...NIGHTLY, status: { succeeded: true, lastSuccessDate: "2030-01-15T03:01:00Z" } },
      "hold Scheduled",
    ],
    [
      "makes up for what was missed since the last success where nothing else is on record",
      { ...NIGHTLY, status: { succeeded: true, lastSuccessDate: "2030-01-13T03:01:00Z" } },
      "start attempt 1 of 2030-01-14T03:00:00Z, next 2030-01-16T03:00:00Z",
    ],
  ])("%s", (_, given, expected) => assert.equal(planned(given), expected));
});

describe("a run", () => {
  const ended = (outcome = succeeded()) => aRun({}, { state: { kind: "ended", outcome } });

  test.each<[string, SeenGiven, string]>([
    ["is followed while it is under way", { run: aRun() }, "hold Running"],
    ["is followed while others are before it", { run: aRun({}, { state: { kind: "queued" } }) }, "hold Queued"],
    ["is recorded when it has succeeded", { run: ended() }, "record-run"],
    [
      "is recorded when it has failed",
      { run: aRun({}, { state: { kind: "ended", outcome: failed() } }) },
      "record-run",
    ],
    ["is cancelled when its object was recreated", { run: aRun({}, { uid: "uid-0" }) }, "drop-run"],
    ["is cancelled when the spec asks for another one", { run: aRun(), spec: { s3: { path: "b/other" } } }, "drop-run"],
    ["is cancelled when the spec is not valid any more", { run: aRun(), spec: { s3: { path: "/b" } } }, "drop-run"],
    [
      "is not recorded when the spec asks for another one",
      { run: ended(), spec: { s3: { path: "b/other" } } },
      "drop-run",
    ],
    ["continues when only the number of backups to keep was edited", { ...HOURLY, run: aRun(HOURLY) }, "hold Running"],
    [
      "continues when the interval was edited",
      { ...HOURLY, run: aRun({ ...HOURLY, policy: { backupIntervalInSecond: 60, maxBackups: 3 } }) },
      "hold Running",
    ],
    ["is cancelled when it is not one of many any more", { run: aRun(HOURLY) }, "drop-run"],
  ])("%s", (_, given, expected) => assert.equal(planned(given), expected));
});

describe("deletion", () => {
  const GOING = { ...HOURLY, metadata: { ...HOURLY.metadata, deletionTimestamp: ago(1_000) } };

  test.each<[string, SeenGiven, string]>([
    ["calls the run off first", { ...GOING, run: aRun(HOURLY) }, "drop-run"],
    ["then takes the finalizer away", GOING, "remove-finalizer"],
    ["takes it away from what is not valid, too", { ...GOING, spec: { storageType: "Tape" } }, "remove-finalizer"],
    ["takes it away from what is not periodic any more", { ...GOING, policy: {} }, "remove-finalizer"],
    [
      "begins nothing while others have a finalizer on it",
      { ...GOING, metadata: { deletionTimestamp: ago(1_000), finalizers: ["example.com/other"] } },
      "hold Deleting",
    ],
  ])("%s", (_, given, expected) => assert.equal(planned(given), expected));
});

test.each([
  [{ storageType: "Tape" }, /storageType/],
  [{ s3: undefined }, /set exactly one, the one named by/],
  [{ etcdEndpoints: ["http://a:2379"] }, /etcdEndpoints and etcdCluster are set: set exactly one/],
  [{ backupPolicy: { schedule: "61 * * * *" } }, /not a cron schedule/],
])("a spec that is not valid, such as %j, is told and begins nothing", (spec, message) => {
  const action = plan(aBackupSeen({ spec }));
  assert.deepEqual([action.kind, action.reason], ["hold", "InvalidSpec"]);
  assert.match(action.message, message);
});

test("a time that was recorded while the clock was wrong is forgotten", () => {
  const status = { observedGeneration: 1, lastRun: "2090-01-15T03:00:00Z", nextRun: "2090-01-16T03:00:00Z" };
  for (const [given, waitMs] of [
    [HOURLY, HOUR_MS],
    [NIGHTLY, 17 * HOUR_MS],
  ] as const) {
    const action = plan(aBackupSeen({ ...given, status }));
    assert.equal(action.kind === "hold" && action.recheckAfterMs, waitMs);
  }
});

test("a backup that waits is reconciled when the next run is due", () => {
  const status = { observedGeneration: 1, lastRun: ago(0), nextRun: ahead(HOUR_MS) };
  const action = plan(aBackupSeen({ ...HOURLY, status }));
  assert.equal(action.kind === "hold" && action.recheckAfterMs, HOUR_MS);
});
