import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { resources } from "@etcd-operator/kubernetes-client";
import { isReady, NodeUnderTest } from "@etcd-operator/testing/kubelet/node-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const isRoot = process.getuid?.() === 0;
const data = { volumeMounts: [{ name: "data", mountPath: "/data" }] };
const volumes = [{ name: "data", emptyDir: {} }];
// The process with pid 1 gets no signal that it has no handler for.
const noteEachRun = "trap 'exit 0' TERM; echo run $NOTE >> /data/runs; while true; do sleep 0.1; done";
const main = ({ status }: Pod) => status?.containerStatuses?.[0];

describe.skipIf(!isRoot)("a pod whose image is changed (needs root)", () => {
  let node: NodeUnderTest;
  beforeAll(async () => {
    node = await NodeUnderTest.make();
    await node.start();
  });
  afterAll(async () => {
    await node?.destroy();
    assert.deepEqual(node.said, []);
  });

  const patch = (name: string, merge: object) =>
    node.cluster.patch(resources.pods, { namespace: "ns", name }, { merge });

  async function setImage(name: string, image: string): Promise<void> {
    const { spec } = await node.pod(name);
    await patch(name, { spec: { containers: spec?.containers.map((container) => ({ ...container, image })) } });
  }

  async function begin(name: string, spec: object = {}, container: object = {}): Promise<Pod> {
    const { metadata } = await node.run(name, noteEachRun, { ...data, ...container }, { volumes, ...spec });
    await hasRuns(metadata.uid, 1);
    return node.podOnce(name, "running", (pod) => main(pod)?.ready);
  }

  const runsOf = (uid: string) =>
    readFileSync(join(node.config.stateDir, "pods", uid, "volumes", "data", "runs"), "utf8")
      .trim()
      .split("\n");

  const hasRuns = (uid: string, count: number) =>
    until(() => runsOf(uid).length === count, { what: `run number ${count} of ${uid}` });

  test("to one that is not there, stops, says so, and comes back on its data with the old one", async () => {
    const before = await begin("bad");
    await setImage("bad", "nothing-of-the-kind:1");
    const held = await node.podOnce(
      "bad",
      "in ImagePullBackOff",
      (pod) => main(pod)?.state?.waiting?.reason === "ImagePullBackOff",
    );
    assert.deepEqual(
      [main(held)?.restartCount, main(held)?.image, main(held)?.lastState?.terminated?.exitCode],
      [0, "busybox", 0],
    );
    assert.deepEqual([held.status?.phase, isReady(held)], ["Running", false]);
    await setImage("bad", "busybox");
    const after = await node.podOnce("bad", "back", (pod) => main(pod)?.restartCount === 1 && isReady(pod));
    assert.equal(after.status?.podIP, before.status?.podIP);
    await hasRuns(before.metadata?.uid ?? "", 2);
  });

  test("starts with it although it is never restarted", async () => {
    await begin("never", { restartPolicy: "Never" });
    await setImage("never", "busybox:2");
    const pod = await node.podOnce("never", "running again", (it) => main(it)?.restartCount === 1 && isReady(it));
    assert.deepEqual([main(pod)?.image, pod.status?.phase], ["busybox:2", "Running"]);
  });

  test("to one that is not there is over if it is never restarted", async () => {
    await begin("over", { restartPolicy: "Never" });
    await setImage("over", "nothing-of-the-kind:2");
    const pod = await node.podOnce("over", "over", (it) => it.status?.phase === "Succeeded");
    assert.equal(main(pod)?.state?.terminated?.exitCode, 0);
  });

  test("reads its annotations when it starts again, not when they change", async () => {
    const env = [{ name: "NOTE", valueFrom: { fieldRef: { fieldPath: "metadata.annotations['note']" } } }];
    const { metadata } = await begin("noted", {}, { env });
    await patch("noted", { metadata: { annotations: { note: "one" }, labels: { a: "b" } } });
    await patch("noted", { metadata: { annotations: { note: "two" } } });
    await setImage("noted", "busybox:2");
    await node.podOnce("noted", "restarted", (pod) => main(pod)?.restartCount === 1 && isReady(pod));
    await hasRuns(metadata?.uid ?? "", 2);
    assert.deepEqual(runsOf(metadata?.uid ?? ""), ["run", "run two"]);
  });

  test("is not ready meanwhile, and is again without its gate being opened again", async () => {
    const { status } = await begin("gated", { readinessGates: [{ conditionType: "gate" }] });
    const gate = { type: "gate", status: "True", reason: "Voter" };
    await node.cluster.patchStatus(
      resources.pods,
      { namespace: "ns", name: "gated" },
      { merge: { status: { conditions: [...(status?.conditions ?? []), gate] } } },
    );
    await node.ready("gated");
    await setImage("gated", "nothing-of-the-kind:3");
    await node.podOnce("gated", "not ready", (pod) => !isReady(pod));
    await setImage("gated", "busybox:2");
    const after = await node.ready("gated");
    assert.deepEqual(
      after.status?.conditions?.find(({ type }) => type === "gate"),
      gate,
    );
    assert.equal(main(after)?.restartCount, 1);
  });
});
