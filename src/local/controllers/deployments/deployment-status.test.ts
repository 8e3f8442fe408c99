import assert from "node:assert/strict";
import type { Deployment, DeploymentStatus, ReplicaSet } from "kubernetes-types/apps/v1.d.ts";
import { describe, test } from "vitest";
import { stored } from "../../../../test/support/local/stored-objects.ts";
import { deploymentStatus } from "./deployment-status.ts";
import { deadlineInMs, pauseCondition, progressCondition } from "./progress.ts";
import type { Rollout } from "./rollout.ts";

const START = Date.parse("2030-01-01T00:00:00Z");
const aDeployment = (status: DeploymentStatus = {}, spec: Partial<NonNullable<Deployment["spec"]>> = {}) =>
  stored<Deployment>("web", {
    metadata: { generation: 2 },
    spec: {
      replicas: 2,
      progressDeadlineSeconds: 60,
      selector: {},
      template: {},
      strategy: { type: "RollingUpdate" },
      ...spec,
    },
    status,
  });
const aRollout = (deployment = aDeployment(), available = 2, conditions: object[] = []): Rollout => ({
  deployment,
  oldSets: [],
  newSet: stored<ReplicaSet>("web-1", {
    spec: { replicas: 2, selector: {} },
    status: {
      replicas: 2,
      readyReplicas: available,
      availableReplicas: available,
      conditions,
    } as ReplicaSet["status"] & object,
  }),
});
const said = ({ conditions = [] }: DeploymentStatus) =>
  conditions.map(({ type, status, reason }) => [type, status, reason]);
const created = progressCondition("True", "NewReplicaSetCreated", "", START);

test("a Deployment whose pods are all there and new has done what it was asked", () => {
  const status = deploymentStatus(aRollout(), START);
  assert.deepEqual(said(status), [
    ["Available", "True", "MinimumReplicasAvailable"],
    ["Progressing", "True", "NewReplicaSetAvailable"],
  ]);
  assert.deepEqual([status.observedGeneration, status.unavailableReplicas], [2, undefined]);
  assert.deepEqual(deploymentStatus(aRollout(aDeployment(status)), START + 5000), status, "and stays so");
});

describe("one that does not get on", () => {
  const counted = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, unavailableReplicas: 2 };

  test("is given its time, and then said to be late", () => {
    const waiting = deploymentStatus(aRollout(aDeployment({ ...counted, conditions: [created] }), 0), START + 59_000);
    assert.deepEqual(said(waiting), [
      ["Progressing", "True", "NewReplicaSetCreated"],
      ["Available", "False", "MinimumReplicasUnavailable"],
    ]);
    assert.equal(deadlineInMs(aDeployment(), waiting, START + 59_000), 2000);
    const late = deploymentStatus(aRollout(aDeployment(waiting), 0), START + 61_000);
    assert.deepEqual(said(late).at(-1), ["Progressing", "False", "ProgressDeadlineExceeded"]);
    assert.equal(deadlineInMs(aDeployment(), late, START + 61_000), undefined);
  });

  test("gets new time with every pod that comes up", () => {
    const moved = deploymentStatus(aRollout(aDeployment({ ...counted, conditions: [created] }), 1), START + 50_000);
    const condition = moved.conditions?.find(({ type }) => type === "Progressing");
    assert.deepEqual([condition?.reason, condition?.lastUpdateTime], ["ReplicaSetUpdated", "2030-01-01T00:00:50Z"]);
    assert.equal(condition?.lastTransitionTime, "2030-01-01T00:00:00Z");
  });

  test("tells what keeps its ReplicaSet from making pods", () => {
    const failure = { type: "ReplicaFailure", status: "True", reason: "FailedCreate", message: "no" };
    const status = deploymentStatus(aRollout(aDeployment(), 0, [failure]), START);
    assert.ok(said(status).some(([type, , reason]) => type === "ReplicaFailure" && reason === "FailedCreate"));
    assert.ok(
      !said(deploymentStatus(aRollout(aDeployment(status)), START)).some(([type]) => type === "ReplicaFailure"),
    );
  });
});

test("without a deadline nothing is said of progress", () => {
  const rollout = aRollout(aDeployment({ conditions: [created] }, { progressDeadlineSeconds: 2_147_483_647 }));
  assert.deepEqual(said(deploymentStatus(rollout, START)), [["Available", "True", "MinimumReplicasAvailable"]]);
});

test("a pause is noted once, and its end too", () => {
  const paused = pauseCondition(aDeployment({}, { paused: true }), START);
  assert.equal(paused?.reason, "DeploymentPaused");
  const during = aDeployment({ conditions: paused ? [paused] : [] }, { paused: true });
  assert.equal(pauseCondition(during, START), undefined);
  assert.equal(pauseCondition(aDeployment(during.status), START)?.reason, "DeploymentResumed");
  assert.equal(pauseCondition(aDeployment(), START), undefined);
});
