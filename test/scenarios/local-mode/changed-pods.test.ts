import assert from "node:assert/strict";
import { handWrittenEtcd } from "@etcd-operator/testing/local/etcd-pods.ts";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const names = ["a", "b", "c"];
const gate = { type: "example.com/gate", status: "True", reason: "Opened" };

let local: LocalModeUnderTest;

beforeAll(async () => {
  local = await startLocalMode();
});

afterAll(() => local?.dispose());

async function read<T>(...what: readonly string[]): Promise<T> {
  return JSON.parse(await local.kubectl("get", ...what, "-o", "json")) as T;
}

const etcd = ({ status }: Pod) => status?.containerStatuses?.[0];
const conditionOf = ({ status }: Pod, type: string) => status?.conditions?.find((it) => it.type === type);
const isReady = (pod: Pod) => conditionOf(pod, "Ready")?.status === "True";
const restarts = async () =>
  (await Promise.all(names.map((name) => read<Pod>("pod", name)))).map((pod) => etcd(pod)?.restartCount);

const podOnce = (name: string, what: string, isSo: (pod: Pod) => boolean | undefined) =>
  until(
    async () => {
      const pod = await read<Pod>("pod", name);
      return isSo(pod) ? pod : undefined;
    },
    { what: `${name} to be ${what}`, timeoutMs: 60_000 },
  );

const budgetOnce = (healthy: number) =>
  until(
    async () => {
      const { status } = await read<PodDisruptionBudget>("pdb", "etcd");
      return status?.currentHealthy === healthy ? status : undefined;
    },
    { what: `${healthy} pods to be healthy` },
  );

const setVersion = (pod: string, version: string) =>
  local.kubectl("set", "image", `pod/${pod}`, `etcd=quay.io/coreos/etcd:v${version}`);

const etcdctl = (pod: string, ...args: readonly string[]) =>
  local.kubectl("exec", pod, "--", "etcdctl", "--command-timeout=5s", ...args);

async function versionServedBy({ status }: Pod): Promise<string> {
  const answer = await fetch(`http://${status?.podIP}:2379/version`);
  return ((await answer.json()) as { etcdserver: string }).etcdserver;
}

/** What it reads from its own data, and the member that it takes itself for. */
async function identityOf(pod: string): Promise<string> {
  const [line = ""] = (await etcdctl(pod, "endpoint", "status", "--write-out=json")).split("\n");
  const [{ Status }] = JSON.parse(line) as [{ Status: { header: { member_id: number; cluster_id: number } } }];
  const value = await etcdctl(pod, "get", "key", "--print-value-only", "--consistency=s");
  return `${Status.header.cluster_id}/${Status.header.member_id} has ${value.trim()}`;
}

describe("a hand-written etcd on emptyDirs, one of whose pods is changed", () => {
  let before: Pod;
  let identity: string;

  test("is ready once the gates of its pods are open", async () => {
    const objects = handWrittenEtcd() as Pod[];
    const gated = objects.map((object) =>
      object.kind === "Pod"
        ? { ...object, spec: { ...object.spec, readinessGates: [{ conditionType: gate.type }] } }
        : object,
    );
    const selector = { matchLabels: { app: "etcd" } };
    const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "etcd" } };
    await local.apply(...gated, { ...budget, spec: { minAvailable: 2, selector } });
    const patch = [
      "--subresource=status",
      "--type=strategic",
      `-p=${JSON.stringify({ status: { conditions: [gate] } })}`,
    ];
    for (const name of names) await local.kubectl("patch", "pod", name, ...patch);
    await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", ...names.map((name) => `pod/${name}`));
    await etcdctl("a", "put", "key", "value");
    before = await read<Pod>("pod", "b");
    assert.equal(await versionServedBy(before), "3.5.16");
    await until(async () => (await identityOf("b")).endsWith("has value"), { what: "b to have the value" });
    identity = await identityOf("b");
    assert.equal((await budgetOnce(3)).disruptionsAllowed, 1);
  });

  test("runs another version in the same place, on the same data", async () => {
    await setVersion("b", "3.5.30");
    const after = await podOnce("b", "restarted", (pod) => etcd(pod)?.restartCount === 1 && isReady(pod));
    assert.equal(await versionServedBy(after), "3.5.30");
    assert.deepEqual([after.metadata?.uid, after.status?.podIP], [before.metadata?.uid, before.status?.podIP]);
    assert.equal(etcd(after)?.image, "quay.io/coreos/etcd:v3.5.30");
    assert.notEqual(etcd(after)?.imageID, etcd(before)?.imageID);
    assert.equal(await identityOf("b"), identity);
    assert.equal((await budgetOnce(3)).disruptionsAllowed, 1);
  });

  test("does not restart for labels and annotations", async () => {
    await local.kubectl("label", "pod", "b", "color=green");
    await local.kubectl("annotate", "pod", "b", "note=changed");
    // The kubelet has seen them by now: it acts on an image that came later.
    await setVersion("a", "3.5.30");
    await podOnce("a", "restarted", (pod) => etcd(pod)?.restartCount === 1 && isReady(pod));
    assert.deepEqual(await restarts(), [1, 1, 0]);
  });

  test("is stopped for an image that is not there, which the others and the budget notice", async () => {
    await setVersion("b", "3.5.9999");
    const held = await podOnce("b", "held", (pod) => etcd(pod)?.state?.waiting?.reason === "ImagePullBackOff");
    assert.match(etcd(held)?.state?.waiting?.message ?? "", /v3\.5\.9999/);
    assert.deepEqual([held.status?.phase, isReady(held), etcd(held)?.restartCount], ["Running", false, 1]);
    assert.equal(etcd(held)?.image, "quay.io/coreos/etcd:v3.5.30");
    assert.equal((await budgetOnce(2)).disruptionsAllowed, 0);
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a", namespace: "default" } };
    const evict = ["create", "--raw", "/api/v1/namespaces/default/pods/a/eviction", "-f", "-"];
    const { stderr } = await local.tryKubectl(evict, JSON.stringify(eviction));
    assert.match(stderr, /disruption budget/);
    await etcdctl("a", "put", "key", "written-meanwhile");
  });

  test("comes back with the image it had first, on its data, through the gate that is still open", async () => {
    await setVersion("b", "3.5.16");
    const back = await podOnce("b", "back", (pod) => etcd(pod)?.restartCount === 2 && isReady(pod));
    assert.equal(await versionServedBy(back), "3.5.16");
    assert.equal(back.status?.podIP, before.status?.podIP);
    assert.deepEqual(conditionOf(back, gate.type)?.reason, gate.reason);
    const caughtUp = identity.replace("has value", "has written-meanwhile");
    await until(async () => (await identityOf("b")) === caughtUp, { what: "b to have caught up" });
    assert.equal((await budgetOnce(3)).disruptionsAllowed, 1);
    assert.deepEqual(await restarts(), [1, 2, 0]);
  });
});

describe("a claim that asks for more", () => {
  const claim = (name: string, storageClassName: string) => ({
    ...{ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name } },
    spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  });
  const grow = (name: string) =>
    local.tryKubectl(["patch", "pvc", name, "-p", '{"spec":{"resources":{"requests":{"storage":"2Gi"}}}}']);

  test("gets it under its running pod, where the class allows that", async () => {
    const fixed = { apiVersion: "storage.k8s.io/v1", kind: "StorageClass", metadata: { name: "fixed" } };
    const volumes = ["grows", "stays"].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
    const containers = [{ name: "main", image: "busybox", command: ["sleep", "1000"] }];
    const spec = { containers, volumes, terminationGracePeriodSeconds: 0 };
    await local.apply(
      { ...fixed, provisioner: "local/host-path", volumeBindingMode: "WaitForFirstConsumer" },
      ...[claim("grows", "standard"), claim("stays", "fixed")],
      { apiVersion: "v1", kind: "Pod", metadata: { name: "user" }, spec },
    );
    await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod/user");
    assert.equal((await grow("grows")).code, 0);
    await local.kubectl("wait", "--for=jsonpath={.status.capacity.storage}=2Gi", "--timeout=30s", "pvc/grows");
    const { spec: bound } = await read<PersistentVolumeClaim>("pvc", "grows");
    const capacity = "jsonpath={.spec.capacity.storage}";
    assert.equal(await local.kubectl("get", "pv", bound?.volumeName ?? "", "-o", capacity), "2Gi");
    assert.equal(etcd(await read<Pod>("pod", "user"))?.restartCount, 0);
  });

  test("is refused where the class does not allow it", async () => {
    const { code, stderr } = await grow("stays");
    assert.equal(code, 1);
    assert.match(stderr, /the storageclass that provisions the pvc must support resize/);
  });
});
