import assert from "node:assert/strict";
import { childRunning } from "@etcd-operator/testing/local/child-processes.ts";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { isRunning } from "@etcd-operator/testing/process/process-state.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

let local: LocalModeUnderTest;
beforeAll(async () => {
  local = await startLocalMode({ nodes: 3, nodeGraceSeconds: 15 });
  await local.apply(...["a", "b", "c"].map(apart));
  await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod", "-l", "app=apart");
});
afterAll(() => local?.dispose());

const apart = (name: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels: { app: "apart" } },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: "main", image: "busybox", command: ["sh", "-c", "echo here; exec sleep 1000"] }],
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { labelSelector: { matchLabels: { app: "apart" } }, topologyKey: "kubernetes.io/hostname" },
        ],
      },
    },
  },
});

const podOn = (node: string) =>
  local.kubectl("get", "pod", "--field-selector", `spec.nodeName=${node}`, "-o", "jsonpath={.items[0].metadata.name}");
const restarts = (pod: string) =>
  local.kubectl("get", "pod", pod, "-o", "jsonpath={.status.containerStatuses[0].restartCount}");
const taints = (node: string) => local.kubectl("get", "node", node, "-o", "jsonpath={.spec.taints[*].key}");

describe("a local mode with three nodes", () => {
  test("has a pod on each, with logs and exec, when they keep apart", async () => {
    for (const node of ["local", "local-2", "local-3"]) {
      const pod = await podOn(node);
      assert.equal(await local.kubectl("logs", pod), "here\n");
      assert.equal(await local.kubectl("exec", pod, "--", "hostname"), `${pod}\n`);
    }
    await local.apply(apart("d"));
    await local.kubectl("wait", "--for=condition=PodScheduled=False", "--timeout=30s", "pod/d");
    const said = await local.kubectl("get", "pod", "d", "-o", "jsonpath={.status.conditions[0].message}");
    assert.match(said, /^0\/3 nodes are available: 3 node\(s\) didn't match pod anti-affinity rules\./);
    await local.kubectl("delete", "pod", "d");
  });

  test("restarts the pods of one node when its kubelet is killed, and no others; no member is replaced", async () => {
    const [hit, spared] = [await podOn("local-2"), await podOn("local-3")];
    const pid = await childRunning(local.pid, "local-2");
    assert.ok(pid);
    process.kill(pid, "SIGKILL");
    await until(async () => !(await isRunning(pid)), { what: "the kubelet to die" });
    await until(async () => (await restarts(hit)) === "1", { what: "the pod to be restarted" });
    await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", `pod/${hit}`);
    assert.equal(await restarts(spared), "0");
    assert.equal(await taints("local-2"), "");
  });

  test("notices a node that is switched off, keeps its pods apart from clients, and accepts it again", async () => {
    const pod = await podOn("local-3");
    await local.stopNode("local-3");
    await local.kubectl("wait", "--for=condition=Ready=Unknown", "--timeout=60s", "node/local-3");
    await local.kubectl("wait", "--for=condition=Ready=False", "--timeout=60s", `pod/${pod}`);
    await until(async () => /unreachable.*unreachable/.test(await taints("local-3")), { what: "the taints" });
    await local.startNode("local-3");
    await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "node/local-3", `pod/${pod}`);
    await until(async () => (await taints("local-3")) === "", { what: "the taints to go" });
    assert.equal(await restarts(pod), "1");
  });
});
