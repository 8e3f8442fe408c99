import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type LocalModeUnderTest, startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import { isRunning } from "@etcd-operator/testing/process/process-state.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

let local: LocalModeUnderTest;

beforeAll(async () => {
  local = await startLocalMode({ operator: true });
});
afterAll(() => local?.dispose());

/** Creates a cluster that gets no pods, and waits until the operator has reconciled it. */
async function isManaged(name: string, where = local, timeoutMs = 10_000): Promise<void> {
  const cluster = { apiVersion: "etcd.database.coreos.com/v1beta2", kind: "EtcdCluster" };
  await where.apply({ ...cluster, metadata: { name }, spec: { size: 3, paused: true } });
  const paused = () => where.kubectl("get", "etcd", name, "-o", "jsonpath={.status.controlPaused}");
  await until(async () => (await paused()) === "true", { what: `${name} to be looked at`, timeoutMs });
}

const log = () => readFile(join(local.stateDir, "logs", "operator.log"), "utf8");

describe("the operator beside local mode", () => {
  test("watches when local mode says ready, and is on the screen with what there is to try", async () => {
    assert.match(await log(), /"msg":"watching"/);
    const screen = await local.output();
    assert.match(screen, new RegExp(`operator \\(${await local.operatorPid()}\\)`));
    assert.match(screen, /kubectl apply -f example\/example-etcd-cluster\.yaml\n.*kubectl wait .*Available/);
    await isManaged("first");
  });

  test("has a port of its own, so that a second local mode runs beside the first", async () => {
    const second = await startLocalMode({ operator: true });
    try {
      await isManaged("elsewhere", second);
      await isManaged("here");
    } finally {
      await second.dispose();
    }
  });

  test("can be killed alone, and comes back", async () => {
    const pid = await local.operatorPid();
    assert.ok(pid);
    process.kill(pid, "SIGKILL");
    await until(async () => ![undefined, pid].includes(await local.operatorPid()), { what: "another operator" });
    // It takes the Leases of the process that was killed, and does not wait until they run out.
    await isManaged("after-a-kill");
    assert.doesNotMatch(await log(), /"standing by"/);
  });

  test("gives its Lease back when local mode stops, so that the next one leads at once", async () => {
    const pid = await local.operatorPid();
    assert.ok(pid);
    await local.stop();
    assert.ok(!(await isRunning(pid)));
    await local.start();
    await isManaged("after-a-restart");
  });
});

test("the operator can be left out, and the screen then says how to start one", async () => {
  const alone = await startLocalMode({ operator: false });
  try {
    assert.equal(await alone.operatorPid(), undefined);
    assert.match(await alone.output(), /The operator was left out/);
  } finally {
    await alone.dispose();
  }
});
