import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { test } from "vitest";
import { NamespaceHistory } from "./object-history.ts";

function aPod(name: string, etcd: object): Stored {
  const metadata = { namespace: "n", name, uid: name, resourceVersion: "7", creationTimestamp: "2030-01-01T00:00:00Z" };
  const status = { containerStatuses: [{ name: "etcd", ...etcd }] };
  return { apiVersion: "v1", kind: "Pod", metadata, status } as Stored;
}

test("a member has come up when it ran etcd, even for a moment between two samples", () => {
  const history = new NamespaceHistory();
  history.add("pods", "ADDED", aPod("waits", { state: { waiting: { reason: "PodInitializing" } } }));
  history.add("pods", "MODIFIED", aPod("runs", { state: { running: {} } }));
  history.add("pods", "MODIFIED", aPod("ended", { state: { terminated: { exitCode: 1 } } }));
  history.add("pods", "MODIFIED", aPod("waits-again", { state: { waiting: {} }, lastState: { terminated: {} } }));
  assert.deepEqual([...history.cameUp], ["runs", "ended", "waits-again"]);
});
