import assert from "node:assert/strict";
import type { Job, JobSpec, JobStatus } from "kubernetes-types/batch/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { stored } from "../../../../test/support/local/stored-objects.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { jobStatus } from "./job-status.ts";
import { type JobPicture, planJob } from "./plan-job.ts";
import { NO_FAILURE, type PodBackoff } from "./pod-backoff.ts";
import { podTally } from "./pod-tally.ts";

const START = Date.parse("2030-01-01T00:00:00Z");

type Fate = "Pending" | "Running" | "Succeeded" | "Failed" | "going";

function pod(
  name: string,
  fate: Fate,
  { index, restarts = 0, isTracked = true }: { index?: number; restarts?: number; isTracked?: boolean } = {},
) {
  return stored<Pod>(name, {
    metadata: {
      ...(isTracked && { finalizers: ["batch.kubernetes.io/job-tracking"] }),
      ...(fate === "going" && { deletionTimestamp: "2030-01-01T00:00:00Z" }),
      ...(index !== undefined && { annotations: { "batch.kubernetes.io/job-completion-index": String(index) } }),
    },
    status: {
      phase: fate === "going" ? "Running" : fate,
      containerStatuses: [{ name: "main", image: "", imageID: "", ready: true, restartCount: restarts }],
    },
  });
}

interface Given {
  readonly spec?: Partial<JobSpec>;
  readonly status?: JobStatus;
  readonly pods?: readonly Stored<Pod>[];
  readonly backoff?: PodBackoff;
  readonly nowMs?: number;
}

function picture({ spec, status, pods = [], backoff = NO_FAILURE, nowMs = START }: Given): JobPicture {
  const template = { spec: { restartPolicy: "Never", containers: [] } };
  const job = stored<Job>("job", {
    spec: { completions: 1, parallelism: 1, backoffLimit: 6, template, ...spec },
    ...(status && { status }),
  });
  return { job, pods, tally: podTally(job, pods), backoff, nowMs };
}

const plan = (given: Given) => planJob(picture(given));

describe("a Job wants", () => {
  test.each<[string, Given, number]>([
    ["one pod at first", {}, 1],
    ["no more than it may have at once", { spec: { completions: 5, parallelism: 2 } }, 2],
    ["no more than are still needed", { spec: { completions: 3, parallelism: 3 }, status: { succeeded: 2 } }, 1],
    ["none beside one that runs", { pods: [pod("a", "Running")] }, 0],
    ["one for one that failed", { pods: [pod("a", "Failed")] }, 1],
    ["one for one that is deleted", { pods: [pod("a", "going")] }, 1],
    [
      "none before a deleted one has ended, where it says so",
      { spec: { podReplacementPolicy: "Failed" }, pods: [pod("a", "going")] },
      0,
    ],
    ["none while suspended", { spec: { suspend: true } }, 0],
    [
      "none after a success, without a number of completions",
      { spec: { completions: undefined, parallelism: 2 } as never, pods: [pod("a", "Succeeded"), pod("b", "Running")] },
      0,
    ],
  ])("%s", (_, given, count) => {
    assert.equal(plan(given).toCreate.length, count);
  });

  test("a pause after failures, twice as long each time", () => {
    const failing = (failures: number, nowMs: number) =>
      plan({ pods: [pod("a", "Failed")], backoff: { failures, lastFailureMs: START }, nowMs });
    assert.deepEqual([failing(1, START + 9000).toCreate.length, failing(1, START + 9000).againInMs], [0, 1000]);
    assert.equal(failing(1, START + 10_000).toCreate.length, 1);
    assert.equal(failing(3, START + 30_000).againInMs, 10_000);
  });

  test("fewer when it may have fewer, and none that wait without need", () => {
    const { toDelete } = plan({
      spec: { completions: 3, parallelism: 1 },
      pods: [pod("a", "Running"), pod("b", "Pending")],
    });
    assert.deepEqual(
      toDelete.map(({ metadata }) => metadata.name),
      ["b"],
    );
  });

  test("with indexes the first that are neither done nor at work, and each once", () => {
    const spec = { completionMode: "Indexed", completions: 5, parallelism: 3 };
    const pods = [pod("a", "Running", { index: 1 })];
    assert.deepEqual(plan({ spec, status: { completedIndexes: "0,3", succeeded: 2 }, pods }).toCreate, [2, 4]);
    const twice = [...pods, pod("b", "Running", { index: 1 }), pod("c", "Running", { index: 9 })];
    assert.deepEqual(
      plan({ spec, pods: twice }).toDelete.map(({ metadata }) => metadata.name),
      ["b", "c"],
    );
  });
});

describe("a Job ends", () => {
  const endsWith = (given: Given) => plan(given).ending?.reason;

  test.each<[string, Given, string | undefined]>([
    ["when enough have succeeded", { pods: [pod("a", "Succeeded")] }, "CompletionsReached"],
    [
      "not while others run",
      { spec: { completions: undefined, parallelism: 2 } as never, pods: [pod("a", "Succeeded"), pod("b", "Running")] },
      undefined,
    ],
    [
      "when more have failed than it bears",
      { spec: { backoffLimit: 1 }, status: { failed: 1 }, pods: [pod("a", "Failed")] },
      "BackoffLimitExceeded",
    ],
    ["not before", { spec: { backoffLimit: 1 }, pods: [pod("a", "Failed")] }, undefined],
    [
      "when its containers restart too often",
      {
        spec: { backoffLimit: 3, template: { spec: { restartPolicy: "OnFailure", containers: [] } } },
        pods: [pod("a", "Running", { restarts: 3 })],
      },
      "BackoffLimitExceeded",
    ],
    [
      "when its time is over",
      { spec: { activeDeadlineSeconds: 10 }, status: { startTime: "2030-01-01T00:00:00Z" }, nowMs: START + 10_000 },
      "DeadlineExceeded",
    ],
    [
      "not while suspended",
      {
        spec: { activeDeadlineSeconds: 10, suspend: true },
        status: { startTime: "2030-01-01T00:00:00Z" },
        nowMs: START + 10_000,
      },
      undefined,
    ],
  ])("%s", (_, given, reason) => {
    assert.equal(endsWith(given), reason);
  });

  test("and knows beforehand when to look", () => {
    const given = {
      spec: { activeDeadlineSeconds: 10 },
      status: { startTime: "2030-01-01T00:00:00Z" },
      pods: [pod("a", "Running")],
    };
    assert.equal(plan({ ...given, nowMs: START + 4000 }).againInMs, 6000);
  });

  test("for good only when every pod is counted and gone, in a second step", () => {
    const failed = pod("a", "Failed");
    const first = picture({ spec: { backoffLimit: 0 }, pods: [failed, pod("b", "Running")] });
    const { ending, toDelete } = planJob(first);
    assert.deepEqual(
      toDelete.map(({ metadata }) => metadata.name),
      ["b"],
    );
    const interim = jobStatus({ ...first, pods: [failed, pod("b", "going")] }, { ending });
    assert.deepEqual(
      interim.conditions?.map(({ type }) => type),
      ["FailureTarget"],
    );
    assert.deepEqual([interim.terminating, interim.uncountedTerminatedPods], [1, { failed: ["uid-a"] }]);

    const counting = picture({
      spec: { backoffLimit: 0 },
      status: interim,
      pods: [pod("a", "Failed", { isTracked: false }), pod("b", "going")],
    });
    const counted = jobStatus(counting, planJob(counting));
    assert.deepEqual(
      [counted.failed, counted.uncountedTerminatedPods, counted.conditions?.length],
      [1, { failed: ["uid-b"] }, 1],
    );

    const last = picture({ spec: { backoffLimit: 0 }, status: counted, pods: [] });
    const over = jobStatus(last, planJob(last));
    assert.deepEqual(
      over.conditions?.map(({ type, reason }) => [type, reason]),
      [
        ["FailureTarget", "BackoffLimitExceeded"],
        ["Failed", "BackoffLimitExceeded"],
      ],
    );
    assert.deepEqual([over.failed, over.terminating, over.completionTime], [2, 0, undefined]);
  });
});

test("a Job that is resumed starts its time anew", () => {
  const suspended = picture({ spec: { suspend: true } });
  const held = jobStatus(suspended, {});
  assert.deepEqual([held.startTime, held.conditions?.[0]?.reason], [undefined, "JobSuspended"]);
  const resumed = jobStatus(picture({ status: held, nowMs: START + 60_000 }), {});
  assert.deepEqual([resumed.startTime, resumed.conditions?.[0]?.reason], ["2030-01-01T00:01:00Z", "JobResumed"]);
});
