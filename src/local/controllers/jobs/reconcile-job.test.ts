import assert from "node:assert/strict";
import type { Job } from "kubernetes-types/batch/v1.d.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";
import { FakeClock } from "../../../../test/support/kubernetes/fake-clock.ts";
import { stored } from "../../../../test/support/local/stored-objects.ts";
import type { EventRecorder } from "../../../kubernetes/event-recorder.ts";
import { keyOf } from "../../../kubernetes/kube-object.ts";
import { KubernetesError } from "../../../kubernetes/kubernetes-error.ts";
import type { ControllerContext } from "../controller-context.ts";
import { controllerReference } from "../workloads/ownership.ts";
import { type Backoffs, reconcileJob } from "./reconcile-job.ts";

const selector = { matchLabels: { job: "a" } };
const template = { spec: { restartPolicy: "Never", containers: [] } };
const job = stored<Job>("a", { spec: { completions: 1, parallelism: 1, backoffLimit: 6, selector, template } });
const failed = stored<Pod>("a-1", {
  metadata: {
    labels: { job: "a" },
    ownerReferences: [controllerReference(job)],
    finalizers: ["batch.kubernetes.io/job-tracking"],
  },
  status: { phase: "Failed" },
});

/** A Job whose only pod has failed, on an API server that answers writes of its status as told. */
function aPlace(answers: (() => void)[]): ControllerContext {
  const cacheOf = (object: object) => ({
    get: () => object,
    list: () => [object],
    waitForSync: async () => {},
    waitUntilSeen: async () => {},
  });
  const client = {
    updateStatus: async (_: unknown, object: Job) => {
      answers.shift()?.();
      return object;
    },
    patch: async () => failed,
  };
  const informers = { jobs: { cache: cacheOf(job) }, pods: { cache: cacheOf(failed) } };
  const signal = new AbortController().signal;
  return { informers, client, clock: new FakeClock(), signal } as unknown as ControllerContext;
}

test("a failure counts once for the back-off, also when the status had to be written again", async () => {
  const refusal = new KubernetesError("conflict", { operation: "PUT", message: "another was faster" });
  const refuse = () => {
    throw refusal;
  };
  const context = aPlace([refuse, refuse]);
  const events = { record: () => {} } as unknown as EventRecorder;
  const backoffs: Backoffs = new Map();
  const key = keyOf(job.metadata);
  const pass = () => reconcileJob(context, events, backoffs, key);
  await assert.rejects(pass(), refusal);
  await assert.rejects(pass(), refusal);
  await pass();
  assert.equal(backoffs.get(key)?.failures, 1);
});
