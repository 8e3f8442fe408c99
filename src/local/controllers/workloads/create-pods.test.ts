import assert from "node:assert/strict";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";
import { stored } from "../../../../test/support/local/stored-objects.ts";
import type { EventRecorder, RecordedEvent } from "../../../kubernetes/event-recorder.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { KubernetesError } from "../../../kubernetes/kubernetes-error.ts";
import { createPods, deletePods } from "./create-pods.ts";
import type { SeenWrites } from "./seen-writes.ts";

/** An API server that takes so many pods and refuses the rest. */
function aServer(room: number) {
  const told: string[] = [];
  let [asked, atOnce, most] = [0, 0, 0];
  const write = async <T>(answer: T): Promise<T> => {
    asked += 1;
    const isFull = asked > room;
    atOnce += 1;
    most = Math.max(most, atOnce);
    await Promise.resolve();
    atOnce -= 1;
    if (isFull) throw new KubernetesError("forbidden", { operation: "POST pods", message: "quota is used up" });
    return answer;
  };
  const writes = {
    create: () => write(stored<Pod>("made", {})),
    delete: () => write(undefined),
  } as unknown as SeenWrites<Pod>;
  const events = {
    record: (_: Stored, { reason, message }: RecordedEvent) => told.push(`${reason}: ${message}`),
  } as unknown as EventRecorder;
  return { work: { owner: stored("owner", {}), writes, events }, told, seen: () => ({ asked, most }) };
}

const pods = (count: number): Pod[] => Array.from({ length: count }, () => ({}));

test("pods are made more and more at once", async () => {
  const server = aServer(100);
  assert.equal(await createPods(server.work, pods(10)), undefined);
  assert.deepEqual(server.seen(), { asked: 10, most: 4 });
  assert.equal(server.told[0], "SuccessfulCreate: Created pod: made");
});

test("a refusal ends it early, and is told in the words of the API server", async () => {
  const server = aServer(0);
  const error = await createPods(server.work, pods(500));
  assert.match(String(error), /quota is used up/);
  assert.deepEqual(server.seen(), { asked: 1, most: 1 });
  assert.deepEqual(server.told, ["FailedCreate: Error creating: quota is used up"]);
});

test("those that can be deleted are, and a failure is returned", async () => {
  const server = aServer(1);
  const error = await deletePods(server.work, [stored<Pod>("a", {}), stored<Pod>("b", {})]);
  assert.ok(error);
  assert.deepEqual(server.told, ["SuccessfulDelete: Deleted pod: a", "FailedDelete: Error deleting: quota is used up"]);
});
