import assert from "node:assert/strict";
import type { Deployment, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import { test } from "vitest";
import { stored } from "../../../../test/support/local/stored-objects.ts";
import { REVISION, REVISION_HISTORY } from "./deployment-names.ts";
import { annotationsOfNewSet, nextRevision, outdatedSets } from "./revisions.ts";

const aSet = (name: string, revision: number, replicas = 0) =>
  stored<ReplicaSet>(name, {
    metadata: { annotations: { [REVISION]: String(revision) } },
    spec: { replicas, selector: {} },
    status: { replicas },
  });
const aDeployment = (annotations: Record<string, string> = {}, revisionHistoryLimit = 10) =>
  stored<Deployment>("web", { metadata: { annotations }, spec: { selector: {}, template: {}, revisionHistoryLimit } });

test("the next revision is one above all that there were", () => {
  assert.equal(nextRevision([]), 1);
  assert.equal(nextRevision([aSet("a", 2), aSet("b", 5)]), 6);
});

test("a ReplicaSet takes over what is annotated, apart from what is the Deployment's own", () => {
  const deployment = aDeployment({
    note: "x",
    [REVISION]: "4",
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
  });
  assert.deepEqual(annotationsOfNewSet(deployment, {}, 5), { note: "x", [REVISION]: "5" });
});

test("one that is rolled back to gets a new number and remembers the old ones", () => {
  const once = annotationsOfNewSet(aDeployment(), { [REVISION]: "1" }, 3);
  assert.deepEqual(once, { [REVISION]: "3", [REVISION_HISTORY]: "1" });
  assert.equal(annotationsOfNewSet(aDeployment(), once, 5)[REVISION_HISTORY], "1,3");
  assert.deepEqual(annotationsOfNewSet(aDeployment(), once, 3), once);
});

test("of the old ReplicaSets the oldest go, but none that has pods", () => {
  const sets = [aSet("c", 3), aSet("a", 1), aSet("b", 2, 1), aSet("d", 4)];
  const names = (limit: number) => outdatedSets(aDeployment({}, limit), sets).map(({ metadata }) => metadata.name);
  assert.deepEqual(names(10), []);
  assert.deepEqual(names(3), ["a"]);
  assert.deepEqual(names(2), ["a"]);
  assert.deepEqual(names(0), ["a", "c", "d"]);
});
