import assert from "node:assert/strict";
import { handWrittenEtcd } from "@etcd-operator/testing/local/etcd-pods.ts";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { networkFaults } from "@etcd-operator/testing/local/network-faults.ts";
import { podProcesses } from "@etcd-operator/testing/local/pod-processes.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

let local: LocalModeUnderTest;

beforeAll(async () => {
  local = await startLocalMode();
});

afterAll(() => local?.dispose());

const etcdctl = (pod: string, ...args: string[]) =>
  local.kubectl("exec", pod, "--", "etcdctl", "--command-timeout=5s", ...args);

const everywhere = "--endpoints=a.etcd:2379,b.etcd:2379,c.etcd:2379";

async function allReady(): Promise<void> {
  await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod/a", "pod/b", "pod/c");
}

/**
 * Waits for the value itself: what a pod said of itself before the machine went down still stands for a moment after.
 */
async function readsAgain(pod: string, key: string, value: string): Promise<void> {
  const get = ["exec", pod, "--", "etcdctl", "--command-timeout=5s", everywhere, "get", key, "--print-value-only"];
  await until(async () => (await local.tryKubectl(get)).stdout.trim() === value, { what: `${key} to be read again` });
}

const uidOf = (pod: string) => local.kubectl("get", "pod", pod, "-o", "jsonpath={.metadata.uid}");

describe("three pods of etcd, written by hand, on local mode", () => {
  test("find each other by DNS name and form a cluster", async () => {
    await local.apply(...handWrittenEtcd({ claims: true }));
    await allReady();
    await etcdctl("a", "put", "before", "everything");
    assert.match(await etcdctl("c", "get", "before", "--print-value-only"), /everything/);
  });

  test("one that is killed restarts in its pod and catches up", async () => {
    const restarts = () =>
      local.kubectl("get", "pod", "b", "-o", "jsonpath={.status.containerStatuses[0].restartCount}");
    const [pid, ...others] = await podProcesses(local.stateDir, await uidOf("b"), "/usr/local/bin/etcd");
    assert.ok(pid !== undefined && others.length === 0);
    process.kill(pid, "SIGKILL");
    await until(async () => (await restarts()) === "1", { what: "the container of b to restart" });
    await allReady();
    assert.match(await etcdctl("b", "get", "before", "--print-value-only"), /everything/);
  });

  test("one that is cut off is missed by the others, and found again when it is healed", async () => {
    const faults = networkFaults(local.config);
    const seenFromA = [
      "exec",
      "a",
      "--",
      "etcdctl",
      "--command-timeout=2s",
      "--endpoints=c.etcd:2379",
      "endpoint",
      "health",
    ];
    const writeToA = ["exec", "a", "--", "etcdctl", "--command-timeout=2s", "put", "without", "c"];
    await faults.isolate(await uidOf("c"));
    try {
      await until(async () => (await local.tryKubectl(seenFromA)).code !== 0, { what: "c to be out of reach" });
      // If c led, the others first have to notice and elect another.
      await until(async () => (await local.tryKubectl(writeToA)).code === 0, { what: "a write without c" });
    } finally {
      await faults.heal();
    }
    await allReady();
    const readFromC = ["get", "without", "--print-value-only", "--consistency=s"];
    await until(async () => (await etcdctl("c", ...readFromC)).trim() === "c", { what: "c to catch up" });
  });

  test("a pod that is deleted finds its data again on the same claim", async () => {
    const manifest = await local.kubectl("get", "pod", "a", "-o", "json");
    await local.kubectl("delete", "pod", "a", "--wait");
    const { metadata, spec } = JSON.parse(manifest) as { metadata: { labels: object }; spec: Record<string, unknown> };
    const { nodeName: _, ...rest } = spec;
    await local.apply({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a", namespace: "default", labels: metadata.labels },
      spec: rest,
    });
    await allReady();
    assert.match(await etcdctl("a", "get", "before", "--print-value-only", "--consistency=s"), /everything/);
  });

  test("all of them come back with their data when local mode is stopped and started", async () => {
    await local.stop();
    await local.start();
    await readsAgain("b", "without", "c");
  });

  test("all of them come back when local mode is killed and started", async () => {
    await local.kill();
    await local.start();
    await readsAgain("c", "before", "everything");
  });
});
