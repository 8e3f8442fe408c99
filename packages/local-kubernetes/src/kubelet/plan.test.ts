import assert from "node:assert/strict";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { type ContainerRecord, newRecord } from "./container-record.ts";
import { nextLook, type PodView, planPod } from "./plan.ts";

const now = 1_000;

function aPod(more: Partial<NonNullable<Pod["spec"]>> = {}, status: Pod["status"] = {}): Pod {
  return { metadata: { name: "p" }, spec: { containers: [aContainer("main")], ...more }, status };
}

function aContainer(name: string, more: Partial<Container> = {}): Container {
  return { name, image: "i", ...more };
}

const waiting = (name: string, more: Partial<ContainerRecord> = {}) => ({ ...newRecord(name, "i"), ...more });
const running = (name: string, more: Partial<ContainerRecord> = {}) =>
  waiting(name, { state: { kind: "running", startedAt: 1 }, hasRun: true, isStarted: true, isReady: true, ...more });
const ended = (name: string, exitCode: number, more: Partial<ContainerRecord> = {}) =>
  waiting(name, {
    state: {
      kind: "terminated",
      termination: { exitCode, reason: "", startedAt: 1, finishedAt: 2, containerId: "" },
    },
    hasRun: true,
    ...more,
  });

function steps(pod: Pod, records: readonly ContainerRecord[], more: Partial<PodView> = {}): string[] {
  const containers = new Map(records.map((record) => [record.name, record]));
  return planPod(pod, { isSetUp: true, isGoing: false, containers, ...more }, now).map((step) => {
    if (step.kind === "start") return `start ${step.container.name}`;
    return step.kind === "stop" ? `stop ${step.container}` : step.kind;
  });
}

describe("a pod that is to run", () => {
  test("is set up before anything starts", () => {
    assert.deepEqual(steps(aPod(), [waiting("main")], { isSetUp: false }), ["set-up"]);
  });

  test("starts all its containers at once", () => {
    const pod = aPod({ containers: [aContainer("a"), aContainer("b")] });
    assert.deepEqual(steps(pod, [waiting("a"), waiting("b")]), ["start a", "start b"]);
  });

  test("is left alone when all runs", () => {
    assert.deepEqual(steps(aPod(), [running("main")]), []);
  });

  test("waits while a container is not due", () => {
    const records = [ended("main", 1, { dueAt: now + 5 })];
    assert.deepEqual(steps(aPod(), records), []);
    const containers = new Map(records.map((record) => [record.name, record]));
    assert.equal(nextLook({ isSetUp: true, isGoing: false, containers }, now), now + 5);
  });

  test("restarts a container whose image was changed, or that is ill", () => {
    assert.deepEqual(steps(aPod(), [running("main", { image: "old" })]), ["stop main"]);
    assert.deepEqual(steps(aPod(), [running("main", { ailment: "liveness" })]), ["stop main"]);
    assert.deepEqual(steps(aPod(), [running("main", { ailment: "liveness", isStopping: true })]), []);
  });

  test("starts a container with another image at once, whatever the old one has to wait for", () => {
    const pulling = { dueAt: Number.POSITIVE_INFINITY, triedImage: "old" };
    assert.deepEqual(steps(aPod(), [ended("main", 1, { dueAt: now + 5, triedImage: "old" })]), ["start main"]);
    assert.deepEqual(steps(aPod(), [waiting("main", { dueAt: now + 5, triedImage: "old" })]), ["start main"]);
    assert.deepEqual(steps(aPod(), [ended("main", 0, pulling)]), ["start main"]);
  });

  test("is not restarted for new labels and annotations", () => {
    const pod = { ...aPod(), metadata: { name: "p", labels: { a: "b" }, annotations: { c: "d" } } };
    assert.deepEqual(steps(pod, [running("main")]), []);
  });

  test("is set up again when its namespaces have died", () => {
    assert.deepEqual(steps(aPod(), [ended("main", 137)], { isSetUp: false }), ["set-up"]);
  });
});

describe("what happens when a container ends", () => {
  test.each([
    ["Always", 0, ["start main"]],
    ["Always", 1, ["start main"]],
    ["OnFailure", 0, ["tear-down"]],
    ["OnFailure", 1, ["start main"]],
    ["Never", 0, ["tear-down"]],
    ["Never", 1, ["tear-down"]],
  ])("restartPolicy %s, exit code %i: %j", (restartPolicy, exitCode, expected) => {
    assert.deepEqual(steps(aPod({ restartPolicy }), [ended("main", exitCode)]), expected);
  });

  test("with Never, the other containers go on", () => {
    const pod = aPod({ restartPolicy: "Never", containers: [aContainer("a"), aContainer("b")] });
    assert.deepEqual(steps(pod, [ended("a", 1), running("b")]), []);
  });

  test.each(["OnFailure", "Never"])("with %s, a container that was stopped for a new image is started", (policy) => {
    const pod = aPod({ restartPolicy: policy, containers: [aContainer("main", { image: "new" })] });
    assert.deepEqual(steps(pod, [running("main")]), ["stop main"]);
    assert.deepEqual(steps(pod, [ended("main", 0, { isReplaced: true })]), ["start main"]);
  });

  test("with Never, a new image starts nothing that had ended by itself", () => {
    const containers = [aContainer("a", { image: "new" }), aContainer("b")];
    const pod = aPod({ restartPolicy: "Never", containers });
    assert.deepEqual(steps(pod, [ended("a", 0), running("b")]), []);
  });

  test("a pod that was over before the kubelet started stays over", () => {
    assert.deepEqual(steps(aPod({}, { phase: "Failed" }), [waiting("main")], { isSetUp: false }), []);
  });
});

describe("init containers", () => {
  const pod = aPod({ initContainers: [aContainer("i1"), aContainer("i2")] });
  test("run one after the other, then the others start", () => {
    assert.deepEqual(steps(pod, [waiting("i1"), waiting("i2"), waiting("main")]), ["start i1"]);
    assert.deepEqual(steps(pod, [running("i1"), waiting("i2"), waiting("main")]), []);
    assert.deepEqual(steps(pod, [ended("i1", 0), waiting("i2"), waiting("main")]), ["start i2"]);
    assert.deepEqual(steps(pod, [ended("i1", 0), ended("i2", 0), waiting("main")]), ["start main"]);
  });

  test("are repeated when they fail, unless the pod is never restarted", () => {
    assert.deepEqual(steps(pod, [ended("i1", 1), waiting("i2"), waiting("main")]), ["start i1"]);
    const never = aPod({ initContainers: [aContainer("i1")], restartPolicy: "Never" });
    assert.deepEqual(steps(never, [ended("i1", 1), waiting("main")]), ["tear-down"]);
  });

  test("that are side containers run beside the later ones and are kept up", () => {
    const side = aPod({ initContainers: [aContainer("side", { restartPolicy: "Always" }), aContainer("i2")] });
    assert.deepEqual(steps(side, [running("side", { isStarted: false }), waiting("i2"), waiting("main")]), []);
    assert.deepEqual(steps(side, [running("side"), waiting("i2"), waiting("main")]), ["start i2"]);
    assert.deepEqual(steps(side, [running("side"), ended("i2", 0), waiting("main")]), ["start main"]);
    const once = { ...side, spec: { ...side.spec, containers: [aContainer("main")], restartPolicy: "Never" } };
    assert.deepEqual(steps(once, [running("side"), ended("i2", 0), ended("main", 0)]), ["stop side"]);
  });
});

describe("a new image of an init container", () => {
  const init = aContainer("i1", { image: "new" });
  test("waits for its next run, if there is one", () => {
    const pod = aPod({ initContainers: [init] });
    assert.deepEqual(steps(pod, [running("i1"), waiting("main")]), []);
    assert.deepEqual(steps(pod, [ended("i1", 1), waiting("main")]), ["start i1"]);
    assert.deepEqual(steps(pod, [ended("i1", 0), running("main")]), []);
  });

  test("that is a side container restarts it, and holds up none of the others", () => {
    const pod = aPod({
      initContainers: [{ ...init, restartPolicy: "Always" }],
      containers: [aContainer("main", { image: "new" }), aContainer("b")],
    });
    const replaced = ended("i1", 0, { isReplaced: true, triedImage: "new", dueAt: now + 5 });
    assert.deepEqual(steps(pod, [running("i1"), running("main", { image: "new" }), running("b")]), ["stop i1"]);
    assert.deepEqual(steps(pod, [replaced, running("main"), running("b")]), ["stop main"]);
    assert.deepEqual(steps(pod, [replaced, ended("main", 0), running("b")]), ["start main"]);
  });
});

describe("a pod that is to go", () => {
  const going = { isGoing: true };
  test("stops what runs, then is torn down and removed", () => {
    assert.deepEqual(steps(aPod(), [running("main")], going), ["stop main"]);
    assert.deepEqual(steps(aPod(), [running("main", { isStopping: true })], going), []);
    assert.deepEqual(steps(aPod(), [ended("main", 0)], going), ["tear-down", "remove"]);
  });

  test("is removed at once when it never ran", () => {
    assert.deepEqual(steps(aPod(), [waiting("main")], { ...going, isSetUp: false }), ["remove"]);
  });
});
