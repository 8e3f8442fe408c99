import { createHash } from "node:crypto";
import { resources } from "@etcd-operator/kubernetes-client";
import { exitCodeOf } from "@etcd-operator/operator/cluster/guard/refusal.ts";
import { ANNOTATIONS, VOTER_CONDITION } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { RESTORED, TRANSFER_PORT, transferSecretName } from "@etcd-operator/operator/transfer/names.ts";
import { snapshotBytes } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { expect, test } from "vitest";
import { NAMESPACE, NODE } from "../world/world.ts";
import { PodsUnderTest } from "./pods-under-test.ts";

const isReady = (pods: PodsUnderTest, name: string) =>
  pods.get(name)?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");

test("a pod of a member runs its guard, then etcd, and is ready when its gate is open", async () => {
  await using pods = await PodsUnderTest.open();
  await pods.member("m");
  await pods.running("m");
  expect(pods.init("m", "guard")?.state?.terminated?.exitCode).toBe(0);
  expect(isReady(pods, "m")).toBe(false);
  const conditions = [{ type: VOTER_CONDITION, status: "True" }];
  const ref = { namespace: NAMESPACE, name: "m" };
  await pods.world.admin.patchStatus(resources.pods, ref, { strategic: { status: { conditions } } });
  await pods.until(() => isReady(pods, "m"));
});

test("a killed etcd starts again in its pod at once, the next time later, and has its data", async () => {
  await using pods = await PodsUnderTest.open();
  await pods.member("m");
  await pods.running("m");
  await pods.client("m").put({ key: "k", value: "v" });
  const killAndWait = async (restarts: number) => {
    const startMs = pods.time.elapsedMs;
    pods.world.machine.kubelet.killContainer("m");
    await pods.until(() => pods.etcd("m")?.restartCount === restarts && pods.etcd("m")?.ready);
    return pods.time.elapsedMs - startMs;
  };
  expect(await killAndWait(1)).toBeLessThan(5_000);
  expect(await killAndWait(2)).toBeGreaterThan(10_000);
  expect((await pods.client("m").range({ key: "k" })).count).toBe(1);
});

test("a deleted pod ends in its grace and goes, and its emptyDir with it", async () => {
  await using pods = await PodsUnderTest.open();
  await pods.member("m");
  await pods.running("m");
  const disk = pods.world.machine.kubelet.diskOf("m")?.id ?? "";
  await pods.delete("m");
  await pods.until(() => pods.get("m") === undefined, 5_000);
  expect(pods.world.machine.etcd.disk(disk).isEmpty).toBe(true);
  expect(pods.world.machine.etcd.processes.length).toBe(0);
});

test("a frozen etcd is killed by the liveness probe, and when its pod goes only after the grace", async () => {
  await using pods = await PodsUnderTest.open();
  await pods.member("m");
  await pods.running("m");
  pods.world.machine.etcd.freeze("m");
  await pods.until(() => pods.etcd("m")?.restartCount === 1, 31 * 60_000);
  await pods.running("m");
  pods.world.machine.etcd.freeze("m");
  const startMs = pods.time.elapsedMs;
  await pods.delete("m", 20);
  await pods.until(() => pods.get("m") === undefined, 60_000);
  expect(pods.time.elapsedMs - startMs).toBeGreaterThanOrEqual(20_000);
});

test("a pod that was lost comes back on its volume with its data, and is refused when that was wiped", async () => {
  await using pods = await PodsUnderTest.open();
  await pods.member("m", { hasClaim: true });
  await pods.running("m");
  await pods.client("m").put({ key: "k", value: "v" });
  const { clusterId, memberId } = await pods.client("m").status();
  const disk = pods.world.machine.kubelet.diskOf("m");
  const start = { kind: "returning", clusterId: clusterId.toString(16), memberId: memberId.toString(16) } as const;
  await pods.delete("m", 0);
  await pods.until(() => pods.world.machine.etcd.processes.length === 0);
  await pods.member("m", { hasClaim: true, start });
  await pods.running("m");
  expect((await pods.client("m").range({ key: "k" })).count).toBe(1);
  await pods.delete("m", 0);
  await pods.until(() => pods.world.machine.etcd.processes.length === 0);
  disk?.wipe();
  await pods.member("m", { hasClaim: true, start });
  await pods.until(() => pods.init("m", "guard")?.lastState?.terminated?.exitCode === exitCodeOf("data-gone"));
});

test("a pod whose volume is lost never starts, and starts when it is back", async () => {
  await using pods = await PodsUnderTest.open();
  await pods.member("m", { hasClaim: true });
  await pods.running("m");
  const [claim] = pods.world.objects.of(resources.persistentVolumeClaims);
  const volume = pods.world.machine.kubelet.volume(claim?.spec?.volumeName ?? "");
  expect(volume).toBe(pods.world.machine.kubelet.diskOf("m"));
  await pods.delete("m", 0);
  volume.isLost = true;
  const { clusterId, memberId } = { clusterId: "1", memberId: "1", ...volume.data };
  await pods.time.pass(1_000);
  const ids = { clusterId: clusterId.toString(16), memberId: memberId.toString(16) };
  await pods.member("m", { hasClaim: true, start: { kind: "returning", ...ids } });
  await pods.time.pass(60_000);
  expect(pods.get("m")?.status?.phase).toBe("Pending");
  volume.isLost = false;
  await pods.running("m");
});

test("a wiped volume is noticed by etcd itself when its container starts again, once its pod has its identity", async () => {
  await using pods = await PodsUnderTest.open();
  await pods.member("m");
  await pods.running("m");
  const url = "http://m.a.tests.svc:2380";
  const told = { [ANNOTATIONS.initialCluster]: `m=${url}`, [ANNOTATIONS.initialClusterState]: "existing" };
  await pods.patch("m", { metadata: { annotations: told } });
  await pods.time.settle();
  pods.world.machine.kubelet.diskOf("m")?.wipe();
  pods.world.machine.kubelet.killContainer("m");
  await pods.until(() => pods.etcd("m")?.lastState?.terminated?.exitCode === 1);
  expect(pods.world.machine.etcd.facts.violations).toEqual([]);
});

test("an image that cannot be pulled is said so, and another one starts at once", async () => {
  await using pods = await PodsUnderTest.open();
  pods.world.machine.kubelet.failPulls("etcd:v3.5.17");
  await pods.member("m", { version: "3.5.17" });
  await pods.until(() => pods.etcd("m")?.state?.waiting?.reason === "ImagePullBackOff");
  await pods.patch("m", { spec: { containers: [{ name: "etcd", image: "quay.io/coreos/etcd:v3.5.16" }] } });
  await pods.running("m");
  expect((await pods.client("m").status()).version).toBe("3.5.16");
});

test("an image that nothing can be called is said so, and another one starts at once", async () => {
  await using pods = await PodsUnderTest.open();
  await pods.member("m");
  await pods.running("m");
  await pods.patch("m", { spec: { containers: [{ name: "etcd", image: "quay.io/CoreOS/etcd:v3.5.16" }] } });
  await pods.until(() => pods.etcd("m")?.state?.waiting?.reason === "InvalidImageName");
  await pods.patch("m", { spec: { containers: [{ name: "etcd", image: "quay.io/coreos/etcd:v3.5.16" }] } });
  await pods.running("m");
});

test("another image replaces the container and keeps the data; one without etcd in it stops the member", async () => {
  await using pods = await PodsUnderTest.open();
  await pods.member("m");
  await pods.running("m");
  await pods.client("m").put({ key: "k", value: "v" });
  await pods.patch("m", { spec: { containers: [{ name: "etcd", image: "quay.io/coreos/etcd:v3.5.21" }] } });
  await pods.until(() => pods.etcd("m")?.image.endsWith("v3.5.21") && pods.etcd("m")?.ready);
  expect((await pods.client("m").range({ key: "k" })).count).toBe(1);
  await pods.patch("m", { spec: { containers: [{ name: "etcd", image: "etcd-operator:test" }] } });
  await pods.until(() => pods.etcd("m")?.lastState?.terminated?.reason === "StartError");
});

test("what ran on a node that lost its power begins again when it is back, after the guard", async () => {
  await using pods = await PodsUnderTest.open();
  const { kubelet, etcd } = pods.world.machine;
  await pods.member("m");
  await pods.running("m");
  kubelet.nodeDown(NODE);
  expect(etcd.processes.length).toBe(0);
  await pods.time.pass(30_000);
  expect(pods.etcd("m")?.state?.running).toBeDefined();
  kubelet.nodeUp(NODE);
  await pods.until(() => pods.etcd("m")?.restartCount === 1 && pods.etcd("m")?.ready);
  expect(pods.init("m", "guard")?.restartCount).toBe(1);
});

test("a pod that restores waits for its snapshot, and bootstraps another cluster with its keys at a higher revision", async () => {
  await using pods = await PodsUnderTest.open();
  const { machine, admin } = pods.world;
  await pods.member("old");
  await pods.running("old");
  await pods.client("old").put({ key: "k", value: "v" });
  const snapshot = await snapshotBytes(pods.client("old"));
  const { clusterId: before, revision } = await pods.client("old").status();
  await pods.member("m", { start: { kind: "restored", token: "t-2", revisionBump: 1_000, restoreUid: "r" } });
  await pods.time.pass(2_000);
  expect(pods.init("m", "receive")?.state?.running).toBeUndefined();
  await admin.create(resources.secrets, { metadata: { namespace: NAMESPACE, name: transferSecretName("m") } });
  await pods.until(() => pods.init("m", "receive")?.state?.running);
  const address = `${pods.get("m")?.status?.podIP}:${TRANSFER_PORT}`;
  const sha256 = createHash("sha256").update(snapshot).digest("hex");
  const endpoint = { address, certificate: "", token: "" };
  const sent = async function* () {
    yield snapshot;
  };
  const wrong = machine.push(endpoint, sent(), { sizeBytes: snapshot.length, sha256: "" });
  await expect(wrong).rejects.toMatchObject({ code: "corrupt" });
  await machine.push(endpoint, sent(), { sizeBytes: snapshot.length, sha256 });
  await pods.running("m");
  const { clusterId, revision: after } = await pods.client("m").status();
  expect(clusterId).not.toBe(before);
  expect(after).toBe(revision + 1_000n);
  expect((await pods.client("m").range({ key: "k" })).count).toBe(1);
  await pods.patch("m", { metadata: { annotations: RESTORED } });
  expect(machine.etcd.facts.clusters.map(({ how }) => how)).toEqual(["bootstrapped", "restored"]);
});
