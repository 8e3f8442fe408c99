import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { resources } from "@etcd-operator/kubernetes-client";
import { NodeUnderTest } from "@etcd-operator/testing/kubelet/node-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { vethName } from "../network-names.ts";

const isRoot = process.getuid?.() === 0;
const untilTold = "trap 'exit 0' TERM; while true; do sleep 0.1; done";
const main = ({ status }: Pod) => status?.containerStatuses?.[0];

describe.skipIf(!isRoot)("the kubelet (needs root)", () => {
  let node: NodeUnderTest;
  beforeAll(async () => {
    node = await NodeUnderTest.make();
    await node.start();
  });
  afterAll(async () => {
    await node.destroy();
    assert.deepEqual(node.said, []);
  });

  const volume = (uid: string, name: string) => join(node.config.stateDir, "pods", uid, "volumes", name);
  const reads = (file: string, text: string) =>
    until(() => readFileSync(file, "utf8") === text, { what: `${JSON.stringify(text)} in ${file}`, timeoutMs: 10_000 });
  const remove = (name: string, gracePeriodSeconds?: number) =>
    node.cluster.delete(
      resources.pods,
      { namespace: "ns", name },
      gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds },
    );

  test("a pod becomes ready with an address, and is removed after its process ended as asked", async () => {
    const { metadata } = await node.run(
      "plain",
      `echo $(hostname) > /data/name; ${untilTold}`,
      { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      { volumes: [{ name: "data", emptyDir: {} }] },
    );
    const { status } = await node.ready("plain");
    assert.equal(status?.phase, "Running");
    assert.match(status?.podIP ?? "", /^10\./);
    assert.equal(status?.hostIP, node.config.bridgeIp);
    assert.equal(status?.containerStatuses?.[0]?.restartCount, 0);
    await reads(join(volume(metadata.uid, "data"), "name"), "plain\n");
    await remove("plain");
    await node.gone("plain");
    await until(() => !existsSync(join(node.config.stateDir, "pods", metadata.uid)), { what: "its folder to be gone" });
    await until(() => !existsSync(`/sys/class/net/${vethName(node.config.instance, metadata.uid)}`), {
      what: "its card to be gone",
    });
  });

  test("a container that fails is restarted after longer and longer waits, with its last words", async () => {
    await node.run("crash", "echo oh > /dev/termination-log; exit 3");
    const pod = await node.podOnce(
      "crash",
      "in a crash loop",
      (it) => (main(it)?.restartCount ?? 0) >= 2 && main(it)?.state?.waiting !== undefined,
    );
    assert.equal(main(pod)?.state?.waiting?.reason, "CrashLoopBackOff");
    assert.equal(main(pod)?.lastState?.terminated?.exitCode, 3);
    assert.equal(main(pod)?.lastState?.terminated?.message, "oh\n");
    assert.equal(pod.status?.phase, "Running");
    await remove("crash");
    await node.gone("crash");
  });

  test.each([
    ["Never", "exit 0", "Succeeded"],
    ["Never", "exit 1", "Failed"],
    ["OnFailure", "[ -e /data/x ] || { touch /data/x; exit 1; }", "Succeeded"],
  ])("restartPolicy %s and %j end as %s", async (restartPolicy, script, phase) => {
    const name = `${restartPolicy}-${phase}`.toLowerCase();
    await node.run(
      name,
      script,
      { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      { restartPolicy, volumes: [{ name: "data", emptyDir: {} }] },
    );
    await node.podOnce(name, phase, (pod) => pod.status?.phase === phase);
    await remove(name);
    await node.gone(name);
  });

  test("a pod waits for its Secret, and sees changes of it", async () => {
    const mounts = {
      volumeMounts: [{ name: "s", mountPath: "/s" }],
      env: [{ name: "K", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }],
    };
    const { metadata } = await node.run("secret", untilTold, mounts, {
      volumes: [{ name: "s", secret: { secretName: "s" } }],
    });
    await until(
      async () => (await node.cluster.list(resources.events)).items.find(({ reason }) => reason === "FailedMount"),
      { what: "FailedMount" },
    );
    assert.equal(main(await node.pod("secret"))?.state?.waiting?.reason, "ContainerCreating");
    const secret = { metadata: { name: "s", namespace: "ns" }, data: { k: Buffer.from("one").toString("base64") } };
    await node.cluster.create(resources.secrets, secret);
    await node.ready("secret");
    const file = join(volume(metadata.uid, "s"), "k");
    assert.equal(readFileSync(file, "utf8"), "one");
    const merge = { data: { k: Buffer.from("two").toString("base64") } };
    await node.cluster.patch(resources.secrets, { namespace: "ns", name: "s" }, { merge });
    await reads(file, "two");
    await remove("secret", 0);
  });

  test("a new image restarts the container in place, with its data", async () => {
    const { metadata } = await node.run(
      "image",
      `trap 'exit 0' TERM; echo run >> /data/runs; ${untilTold}`,
      { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      { volumes: [{ name: "data", emptyDir: {} }] },
    );
    const before = await node.ready("image");
    // A process that is pid 1 does not get a signal before it has said what to do with it.
    await reads(join(volume(metadata.uid, "data"), "runs"), "run\n");
    const containers = before.spec?.containers.map((container) => ({ ...container, image: "busybox:2" }));
    await node.cluster.patch(resources.pods, { namespace: "ns", name: "image" }, { merge: { spec: { containers } } });
    const after = await node.podOnce("image", "restarted", (pod) => main(pod)?.restartCount === 1 && main(pod)?.ready);
    assert.equal(main(after)?.image, "busybox:2");
    assert.equal(after.status?.podIP, before.status?.podIP);
    await reads(join(volume(metadata.uid, "data"), "runs"), "run\nrun\n");
    await remove("image", 0);
  });

  test("an image that is not there is told, again and again", async () => {
    await node.run("no-image", "", { image: "nginx" });
    await node.podOnce("no-image", "in ErrImagePull", (pod) => main(pod)?.state?.waiting?.reason === "ErrImagePull");
    await node.podOnce(
      "no-image",
      "in ImagePullBackOff",
      (pod) => main(pod)?.state?.waiting?.reason === "ImagePullBackOff",
    );
    await remove("no-image");
    await node.gone("no-image");
  });

  test("init containers run first; what the pod's gate says decides whether it is ready", async () => {
    const initContainers = [
      {
        name: "init",
        image: "busybox",
        command: ["sh", "-c", "echo init > /data/x"],
        volumeMounts: [{ name: "data", mountPath: "/data" }],
      },
    ];
    const spec = {
      initContainers,
      volumes: [{ name: "data", emptyDir: {} }],
      readinessGates: [{ conditionType: "gate" }],
    };
    await node.run(
      "init",
      `cat /data/x || exit 1; ${untilTold}`,
      { volumeMounts: [{ name: "data", mountPath: "/data" }] },
      spec,
    );
    const pod = await node.podOnce("init", "running", (it) => main(it)?.ready);
    assert.equal(pod.status?.initContainerStatuses?.[0]?.state?.terminated?.reason, "Completed");
    assert.equal(pod.status?.conditions?.find(({ type }) => type === "Ready")?.reason, "ReadinessGatesNotReady");
    const conditions = [...(pod.status?.conditions ?? []), { type: "gate", status: "True" }];
    await node.cluster.patchStatus(
      resources.pods,
      { namespace: "ns", name: "init" },
      { merge: { status: { conditions } } },
    );
    assert.ok((await node.ready("init")).status?.conditions?.some(({ type }) => type === "gate"));
    await remove("init", 0);
  });

  test("probes decide who is ready and who is restarted", async () => {
    const probe = (command: string) => ({
      exec: { command: ["sh", "-c", command] },
      periodSeconds: 1,
      failureThreshold: 1,
    });
    const probes = { readinessProbe: probe("test -e /tmp/ready"), livenessProbe: probe("test ! -e /tmp/sick") };
    await node.run("probes", "touch /tmp/ready; sleep 1.5; touch /tmp/sick; sleep 1000", probes, {
      terminationGracePeriodSeconds: 0,
    });
    await node.ready("probes");
    const pod = await node.podOnce("probes", "restarted", (it) => main(it)?.restartCount === 1);
    assert.equal(main(pod)?.lastState?.terminated?.exitCode, 137);
    await remove("probes", 0);
  });

  test("a pod whose object vanishes is killed at once, though it ignores SIGTERM", async () => {
    const { metadata } = await node.run("vanish", "trap '' TERM; while true; do sleep 1; done");
    await node.ready("vanish");
    const holder = Number(readFileSync(join(node.config.stateDir, "pods", metadata.uid, "sandbox.pid"), "utf8"));
    assert.ok(existsSync(`/proc/${holder}`));
    await remove("vanish", 0);
    await until(() => !existsSync(`/proc/${holder}`), { what: "its processes to be gone" });
  });

  test("a killed sandbox is made again", async () => {
    const { metadata } = await node.run("sandbox", untilTold);
    await node.ready("sandbox");
    const file = join(node.config.stateDir, "pods", metadata.uid, "sandbox.pid");
    process.kill(Number(readFileSync(file, "utf8")), "SIGKILL");
    await node.podOnce("sandbox", "restarted", (pod) => main(pod)?.restartCount === 1 && main(pod)?.ready);
    await remove("sandbox", 0);
  });

  test("after a restart of the kubelet, pods return with their data, and the folders of others are gone", async () => {
    const mounts = { volumeMounts: [{ name: "data", mountPath: "/data" }] };
    const volumes = [{ name: "data", emptyDir: {} }];
    const { metadata } = await node.run("returns", `echo run >> /data/runs; ${untilTold}`, mounts, { volumes });
    const lost = await node.run("lost", untilTold);
    const before = await node.ready("returns");
    await node.ready("lost");
    await node.stop();
    await remove("lost", 0);
    await node.start();
    const after = await node.podOnce("returns", "back", (pod) => main(pod)?.restartCount === 1 && main(pod)?.ready);
    assert.deepEqual(
      [main(after)?.lastState?.terminated?.reason, main(after)?.lastState?.terminated?.exitCode],
      ["Unknown", 255],
    );
    assert.notEqual(after.status?.podIP, before.status?.podIP);
    await reads(join(volume(metadata.uid, "data"), "runs"), "run\nrun\n");
    await until(() => !readdirSync(join(node.config.stateDir, "pods")).includes(lost.metadata.uid), {
      what: "the folder of the lost pod to be gone",
    });
    await remove("returns");
    await node.gone("returns");
  });

  test("the node is registered and its heartbeat is there", async () => {
    const { status } = await node.cluster.get(resources.nodes, { name: "local" });
    assert.ok(status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"));
    const { spec } = await node.cluster.get(resources.leases, { namespace: "kube-node-lease", name: "local" });
    assert.equal(spec?.holderIdentity, "local");
  });
});
