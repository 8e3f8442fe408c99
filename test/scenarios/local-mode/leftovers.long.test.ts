import assert from "node:assert/strict";
import { linksOf } from "@etcd-operator/local-kubernetes/network/bridge.ts";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { machineState } from "@etcd-operator/testing/local/machine-state.ts";
import { isRunning } from "@etcd-operator/testing/process/process-state.ts";
import { runCommand } from "@etcd-operator/testing/process/run-command.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

let local: LocalModeUnderTest;

beforeAll(async () => {
  local = await startLocalMode();
});

afterAll(() => local?.dispose());

const sleeper = (name: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels: { batch: "sleepers" } },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [
      { name: "main", image: "busybox", command: ["sleep", "1000"], volumeMounts: [{ name: "v", mountPath: "/data" }] },
    ],
    volumes: [{ name: "v", emptyDir: {} }],
  },
});

/** Process ids of the parts, as the welcome screen names them; the newest life of each. */
async function partPids(): Promise<Record<string, number>> {
  const line = (await local.output()).split("\n").findLast((text) => text.includes("processes ")) ?? "";
  return Object.fromEntries([...line.matchAll(/(\w+) \((\d+)\)/g)].map(([, name = "", pid]) => [name, Number(pid)]));
}

async function living(pids: readonly number[]): Promise<readonly number[]> {
  const found = await Promise.all(pids.map(async (pid) => ((await isRunning(pid)) ? [pid] : [])));
  return found.flat();
}

async function settled(before: Awaited<ReturnType<typeof machineState>>): Promise<void> {
  await until(async () => JSON.stringify(await machineState(local)) === JSON.stringify(before), {
    what: "the machine to be as before",
    everyMs: 200,
  }).catch(async () => assert.deepEqual(await machineState(local), before));
}

async function up(...flags: readonly string[]) {
  const signal = AbortSignal.timeout(30_000);
  return runCommand(process.execPath, ["dist/local/local.mjs", "up", ...flags], { signal });
}

describe("local mode leaves nothing behind", () => {
  test("100 pods created and deleted leave processes, namespaces, mounts, links and addresses as they were", async () => {
    await local.apply(sleeper("warm-up"));
    await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod/warm-up");
    await local.kubectl("delete", "pod", "warm-up");
    await until(async () => (await linksOf(local.config.instance)).length === 1, {
      what: "only the bridge to be left",
    });
    const before = await machineState(local);
    for (let round = 0; round < 5; round += 1) {
      const names = Array.from({ length: 20 }, (_, index) => `sleeper-${round}-${index}`);
      await local.apply(...names.map(sleeper));
      await local.kubectl("wait", "--for=condition=Ready", "--timeout=120s", "pod", "-l", "batch=sleepers");
      await local.kubectl("delete", "pod", "-l", "batch=sleepers");
    }
    await settled(before);
  }, 300_000);

  test.each(["apiserver", "store", "network", "controllers", "kubelet"])(
    "%s can be killed alone, and comes back",
    async (part) => {
      await local.apply(sleeper("survivor"));
      await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod/survivor");
      const pid = (await partPids())[part];
      assert.ok(pid);
      process.kill(pid, "SIGKILL");
      await until(async () => !(await isRunning(pid)), { what: `${part} to die` });
      const name = `after-${part}`;
      await until(
        async () => (await local.tryKubectl(["apply", "-f", "-"], JSON.stringify(sleeper(name)))).code === 0,
        { what: "the API to take a pod" },
      );
      await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", `pod/${name}`, "pod/survivor");
      await local.kubectl("delete", "pod", name);
    },
  );

  test("a run that is killed leaves no process, and the next one cleans its links", async () => {
    await local.apply(sleeper("orphan"));
    await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod/orphan");
    const pids = Object.values(await partPids());
    await local.kill();
    await until(async () => (await living(pids)).length === 0, { what: "every part to die" });
    await local.start();
    await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod/orphan");
  });

  test("a second one on the same state or the same port is refused, and the first goes on", async () => {
    const { port } = new URL(local.config.server);
    // As when make run is typed twice: the same folder and the same port.
    const second = await up("--state", local.stateDir, "--port", port);
    assert.equal(second.code, 1);
    assert.match(second.stderr, /^A local mode runs already on \S+ as process \d+: .*make run STATE=\S+ PORT=\d+\n$/);
    const taken = await up("--state", `${local.stateDir}-2`, "--port", port);
    assert.match(taken.stderr, new RegExp(`^Port ${port} of 127\\.0\\.0\\.1 is taken: .*make run PORT=\\d+.*\n$`));
    await local.kubectl("get", "nodes");
  });

  test("stopped, it leaves no link, no process and no kubeconfig", async () => {
    const pids = Object.values(await partPids());
    const { instance } = local.config;
    await local.stop();
    assert.deepEqual(await linksOf(instance), []);
    assert.deepEqual(await living(pids), []);
  });
});
