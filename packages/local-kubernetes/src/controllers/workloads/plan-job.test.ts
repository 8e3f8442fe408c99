import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { stored } from "@etcd-operator/testing/local/stored-objects.ts";
import type { Job, JobSpec, JobStatus } from "kubernetes-types/batch/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { type JobPlan, planJob } from "./plan-job.ts";

const START = "2030-01-01T00:00:00Z";
const START_MS = Date.parse(START);

type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

/** A pod that ended, where it did, a number of seconds after the start. */
function pod(phase: Phase, endedAfterSeconds = 0): Stored<Pod> {
  const finishedAt = new Date(START_MS + endedAfterSeconds * 1000).toISOString();
  const state = phase === "Succeeded" || phase === "Failed" ? { terminated: { exitCode: 1, finishedAt } } : {};
  return stored<Pod>(`pod-${endedAfterSeconds}`, {
    metadata: { creationTimestamp: START },
    status: {
      phase,
      containerStatuses: [{ name: "main", image: "", imageID: "", ready: false, restartCount: 0, state }],
    },
  });
}

interface Given {
  readonly spec?: Partial<JobSpec>;
  readonly status?: JobStatus;
  readonly pods?: readonly Stored<Pod>[];
  readonly afterSeconds?: number;
}

function plan({ spec, status = { startTime: START }, pods = [], afterSeconds = 0 }: Given): JobPlan {
  const job = stored<Job>("job", { spec: { template: {}, ...spec }, status });
  return planJob(job, pods, START_MS + afterSeconds * 1000);
}

const going = (phase: Phase) => {
  const { metadata, ...rest } = pod(phase);
  return { ...rest, metadata: { ...metadata, deletionTimestamp: START } } as Stored<Pod>;
};

describe("a Job makes", () => {
  test.each<[string, Given, number]>([
    ["one pod at first", {}, 1],
    ["no more than it may have at once", { spec: { completions: 5, parallelism: 2 } }, 2],
    ["no more than are still needed", { spec: { completions: 3, parallelism: 3 }, pods: [pod("Succeeded")] }, 2],
    ["none beside one that runs", { pods: [pod("Running")] }, 0],
    ["one for one that is deleted", { pods: [going("Running")] }, 1],
    ["none soon after a failure", { pods: [pod("Failed", 5)], afterSeconds: 14 }, 0],
    ["one ten seconds after a failure", { pods: [pod("Failed", 5)], afterSeconds: 15 }, 1],
    ["none as soon after a second one", { pods: [pod("Failed"), pod("Failed", 5)], afterSeconds: 24 }, 0],
    ["one after twice the time then", { pods: [pod("Failed"), pod("Failed", 5)], afterSeconds: 25 }, 1],
  ])("%s", (_, given, expected) => {
    assert.equal(plan(given).toCreate, expected);
  });

  test("nothing in vain: it comes back when the pause or its time is over", () => {
    assert.equal(plan({ pods: [pod("Failed", 5)], afterSeconds: 6 }).againInMs, 9_000);
    const spec = { activeDeadlineSeconds: 12 };
    assert.equal(plan({ spec, pods: [pod("Failed", 5)], afterSeconds: 6 }).againInMs, 6_000);
    assert.equal(plan({ spec }).againInMs, 12_000);
    assert.equal(plan({}).againInMs, undefined);
  });
});

describe("a Job ends", () => {
  const ends = (given: Given) => {
    const { status, toDelete, toCreate } = plan(given);
    const [end] = status.conditions ?? [];
    return [end?.type, end?.reason, toDelete.length, toCreate];
  };

  test("when enough pods have succeeded", () => {
    const pods = [pod("Succeeded"), pod("Failed", 1), pod("Succeeded", 2)];
    assert.deepEqual(ends({ spec: { completions: 2 }, pods }), ["Complete", "CompletionsReached", 0, 0]);
    const { status } = plan({ spec: { completions: 2 }, pods, afterSeconds: 3 });
    assert.deepEqual([status.succeeded, status.failed, status.completionTime], [2, 1, "2030-01-01T00:00:03Z"]);
  });

  test("when more have failed than may, and takes the others along", () => {
    const spec = { backoffLimit: 1, completions: 2, parallelism: 2 };
    assert.deepEqual(ends({ spec, pods: [pod("Failed"), pod("Running")] }), [undefined, undefined, 0, 0]);
    const pods = [pod("Failed"), pod("Failed", 1), pod("Running")];
    assert.deepEqual(ends({ spec, pods }), ["Failed", "BackoffLimitExceeded", 1, 0]);
  });

  test("when its time is over", () => {
    const given = { spec: { activeDeadlineSeconds: 5 }, pods: [pod("Running")] };
    assert.deepEqual(ends({ ...given, afterSeconds: 4 }), [undefined, undefined, 0, 0]);
    assert.deepEqual(ends({ ...given, afterSeconds: 5 }), ["Failed", "DeadlineExceeded", 1, 0]);
  });

  test("not before it began: the time counts from its first look", () => {
    const { status } = plan({ status: {}, spec: { activeDeadlineSeconds: 5 }, afterSeconds: 60 });
    assert.deepEqual([status.startTime, status.conditions], ["2030-01-01T00:01:00Z", undefined]);
  });
});
