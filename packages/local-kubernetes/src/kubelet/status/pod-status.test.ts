import assert from "node:assert/strict";
import type { Container, Pod, PodCondition } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { type ContainerRecord, newRecord, restoredRecord } from "../container-record.ts";
import type { PodView } from "../plan.ts";
import { podStatus } from "./pod-status.ts";

const now = Date.parse("2026-01-01T00:01:00Z");
const early = Date.parse("2026-01-01T00:00:00Z");

function aPod(spec: Partial<NonNullable<Pod["spec"]>> = {}, status: Pod["status"] = {}): Pod {
  const metadata = { name: "p", namespace: "ns", uid: "u" };
  return { metadata, spec: { containers: [aContainer("main")], ...spec }, status };
}

const aContainer = (name: string, more: Partial<Container> = {}): Container => ({ name, image: "i", ...more });
const waiting = (name: string, more: Partial<ContainerRecord> = {}) => ({ ...newRecord(name, "i"), ...more });
const running = (name: string, more: Partial<ContainerRecord> = {}) =>
  waiting(name, {
    state: { kind: "running", startedAt: early },
    hasRun: true,
    isStarted: true,
    isReady: true,
    ...more,
  });
const termination = (exitCode: number) => ({
  ...{ exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt: early, finishedAt: now, containerId: "x" },
});
const ended = (name: string, exitCode: number, more: Partial<ContainerRecord> = {}) =>
  waiting(name, { state: { kind: "terminated", termination: termination(exitCode) }, hasRun: true, ...more });

function statusOf(pod: Pod, records: readonly ContainerRecord[], more: Partial<PodView> = {}) {
  const containers = new Map(records.map((record) => [record.name, record]));
  const facts = { podIp: "10.0.0.2", hostIp: "10.0.0.1", seenAt: early, now };
  return podStatus(pod, { isSetUp: true, isGoing: false, containers, ...more }, facts);
}

function condition(status: { conditions?: PodCondition[] }, type: string): PodCondition | undefined {
  return status.conditions?.find((each) => each.type === type);
}

describe("the phase", () => {
  const withInit = aPod({ initContainers: [aContainer("init")] });
  const never = aPod({ restartPolicy: "Never" });
  const onFailure = aPod({ restartPolicy: "OnFailure" });
  test.each<[string, string, Pod, ContainerRecord[], Partial<PodView>?]>([
    ["Pending", "while a container has never run", aPod(), [waiting("main")]],
    ["Running", "while it runs, ready or not", aPod(), [running("main", { isReady: false })]],
    ["Running", "between two runs of a container", aPod(), [ended("main", 1, { dueAt: now + 1 })]],
    ["Running", "while a restart waits for something", aPod(), [waiting("main", { last: termination(1) })]],
    ["Pending", "while init containers run", withInit, [running("init"), waiting("main")]],
    ["Pending", "while a failed init container waits for its next run", withInit, [ended("init", 1), waiting("main")]],
    ["Running", "after init containers", withInit, [ended("init", 0), running("main")]],
    ["Succeeded", "when all ended well", never, [ended("main", 0)]],
    ["Failed", "when one failed for good", never, [ended("main", 1)]],
    ["Running", "when a failure is retried", onFailure, [ended("main", 1)]],
    [
      "Failed",
      "when an init container failed for good",
      { ...never, spec: { ...withInit.spec, containers: [aContainer("main")], restartPolicy: "Never" } },
      [ended("init", 1), waiting("main")],
    ],
    ["Running", "while it is being stopped", aPod(), [running("main", { isStopping: true })], { isGoing: true }],
    ["Succeeded", "once it is stopped, and ended well", aPod(), [ended("main", 0)], { isGoing: true, isSetUp: false }],
    [
      "Failed",
      "once it is stopped, and did not end well",
      aPod(),
      [ended("main", 137)],
      { isGoing: true, isSetUp: false },
    ],
    ["Succeeded", "after it is over, whatever the kubelet knows", aPod({}, { phase: "Succeeded" }), [waiting("main")]],
  ])("is %s %s", (phase, _, pod, records, more) => {
    assert.equal(statusOf(pod, records, more).phase, phase);
  });
});

describe("the conditions", () => {
  test("a running pod has all of them true", () => {
    const { conditions } = statusOf(aPod(), [running("main")]);
    assert.deepEqual(
      conditions?.map(({ type, status }) => `${type}=${status}`),
      ["PodReadyToStartContainers=True", "Initialized=True", "Ready=True", "ContainersReady=True", "PodScheduled=True"],
    );
  });

  test("a container that is not ready is named", () => {
    const ready = condition(statusOf(aPod(), [running("main", { isReady: false })]), "Ready");
    assert.equal(ready?.status, "False");
    assert.equal(ready?.reason, "ContainersNotReady");
    assert.equal(ready?.message, "containers with unready status: [main]");
  });

  test("an init container that is not done is named", () => {
    const pod = aPod({ initContainers: [aContainer("init")] });
    const initialized = condition(statusOf(pod, [running("init"), waiting("main")]), "Initialized");
    assert.equal(initialized?.reason, "ContainersNotInitialized");
    assert.equal(initialized?.message, "containers with incomplete status: [init]");
  });

  test.each([
    [[], 'corresponding condition of pod readiness gate "g" does not exist.'],
    [[{ type: "g", status: "False" }], 'the status of pod readiness gate "g" is not "True", but False'],
  ])("a readiness gate keeps the pod, not its containers, from being ready: %j", (conditions, message) => {
    const status = statusOf(aPod({ readinessGates: [{ conditionType: "g" }] }, { conditions }), [running("main")]);
    assert.equal(condition(status, "ContainersReady")?.status, "True");
    assert.deepEqual(
      [condition(status, "Ready")?.reason, condition(status, "Ready")?.message],
      ["ReadinessGatesNotReady", message],
    );
  });

  test("others' conditions stay, and an open gate lets the pod be ready", () => {
    const gate = { type: "g", status: "True", reason: "Voter" };
    const status = statusOf(aPod({ readinessGates: [{ conditionType: "g" }] }, { conditions: [gate] }), [
      running("main"),
    ]);
    assert.deepEqual(condition(status, "g"), gate);
    assert.equal(condition(status, "Ready")?.status, "True");
  });

  test("the time of the last change stays until there is one", () => {
    const lastTransitionTime = "2025-01-01T00:00:00Z";
    const before = { conditions: [{ type: "Ready", status: "True", lastTransitionTime }] };
    assert.equal(
      condition(statusOf(aPod({}, before), [running("main")]), "Ready")?.lastTransitionTime,
      lastTransitionTime,
    );
    const changed = statusOf(aPod({}, before), [waiting("main")]);
    assert.equal(condition(changed, "Ready")?.lastTransitionTime, "2026-01-01T00:01:00Z");
  });

  test("a pod that is done is not ready, and says why", () => {
    const status = statusOf(aPod({ restartPolicy: "Never" }), [ended("main", 0)], { isSetUp: false });
    assert.equal(condition(status, "Ready")?.reason, "PodCompleted");
    assert.equal(condition(status, "Initialized")?.status, "True");
    assert.equal(condition(status, "PodReadyToStartContainers")?.status, "False");
  });
});

describe("a container's status", () => {
  const first = (pod: Pod, record: ContainerRecord) => statusOf(pod, [record]).containerStatuses?.[0];

  test("waits for what is said, or for being created", () => {
    assert.deepEqual(first(aPod(), waiting("main"))?.state, { waiting: { reason: "ContainerCreating" } });
    const state = { kind: "waiting", reason: "ErrImagePull", message: "no" } as const;
    assert.deepEqual(first(aPod(), waiting("main", { state }))?.state, {
      waiting: { reason: "ErrImagePull", message: "no" },
    });
  });

  test("between two runs is in a crash loop, with the last run's end", () => {
    const status = first(aPod(), ended("main", 1, { dueAt: now + 9_000, backOffMs: 80_000, restartCount: 3 }));
    assert.equal(status?.state?.waiting?.reason, "CrashLoopBackOff");
    assert.equal(status?.state?.waiting?.message, "back-off 1m20s restarting failed container=main pod=p_ns(u)");
    assert.equal(status?.lastState?.terminated?.exitCode, 1);
    assert.equal(status?.restartCount, 3);
    assert.equal(status?.ready, false);
  });

  test("that ended for good shows how", () => {
    const status = first(aPod({ restartPolicy: "Never" }), ended("main", 7));
    assert.deepEqual(status?.state?.terminated, {
      ...{ exitCode: 7, reason: "Error", startedAt: "2026-01-01T00:00:00Z" },
      ...{ finishedAt: "2026-01-01T00:01:00Z", containerID: "x" },
    });
  });
});

describe("the addresses", () => {
  test("are those of the current run", () => {
    const status = statusOf(aPod({}, { podIP: "10.0.0.9", podIPs: [{ ip: "10.0.0.9" }] }), [running("main")]);
    assert.deepEqual([status.podIP, status.podIPs, status.hostIP], ["10.0.0.2", [{ ip: "10.0.0.2" }], "10.0.0.1"]);
  });
});

describe("a container after the kubelet was started again", () => {
  const fresh = newRecord("main", "i");
  const old = { name: "main", image: "i", imageID: "id", containerID: "c", restartCount: 2, ready: true };
  test("that ran, ended in an unknown way", () => {
    const record = restoredRecord(fresh, { ...old, state: { running: { startedAt: "2026-01-01T00:00:00Z" } } }, now);
    assert.deepEqual([record.restartCount, record.hasRun], [2, true]);
    assert.ok(record.state.kind === "terminated");
    assert.deepEqual([record.state.termination.exitCode, record.state.termination.reason], [255, "Unknown"]);
  });

  test("that had ended stays so", () => {
    const record = restoredRecord(fresh, { ...old, state: { terminated: { exitCode: 0, reason: "Completed" } } }, now);
    assert.ok(record.state.kind === "terminated" && record.state.termination.exitCode === 0);
  });

  test("that waited for its next run still remembers the last", () => {
    const lastState = { terminated: { exitCode: 3, reason: "Error" } };
    const record = restoredRecord(
      fresh,
      { ...old, state: { waiting: { reason: "CrashLoopBackOff" } }, lastState },
      now,
    );
    assert.deepEqual([record.state.kind, record.last?.exitCode], ["waiting", 3]);
  });

  test("is said to have run the image that it ran, also when its spec has another by now", () => {
    const record = restoredRecord(newRecord("main", "new"), { ...old, state: { running: {} } }, now);
    const status = statusOf(aPod({ containers: [aContainer("main", { image: "new" })] }), [record]);
    assert.equal(status.containerStatuses?.[0]?.image, "i");
  });

  test("that never ran begins at the beginning", () => {
    assert.deepEqual(restoredRecord(fresh, undefined, now), fresh);
  });
});
