import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { resources } from "@etcd-operator/kubernetes-client";
import { childRunning } from "@etcd-operator/testing/local/child-processes.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import type { OperatorProcess } from "@etcd-operator/testing/scenario/operator/operator-process.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";

const LEASE = { namespace: "default", name: "etcd-operator-clusters-namespaced" };
/** Longer than any operator leads without a renewal. */
const TOO_LONG_MS = 32_000;

const scenario = clusterScenario({ operator: false });

const lease = async () => (await scenario.client.get(resources.leases, LEASE)).spec;

async function linesOf(operator: OperatorProcess): Promise<readonly { level: string; msg: string }[]> {
  const text = await readFile(operator.log, "utf8");
  return text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as { level: string; msg: string });
}

/** The API server of local mode hangs, as one whose machine stands still. */
async function stoppedFor(ms: number): Promise<void> {
  const pid = await childRunning(scenario.local.pid, "apiserver");
  assert.ok(pid);
  process.kill(pid, "SIGSTOP");
  try {
    await pause(ms);
  } finally {
    process.kill(pid, "SIGCONT");
  }
}

describe("an operator whose API server hangs", { timeout: 400_000 }, () => {
  test("for 12 s leads on, says so in one line, and goes on with its work", async () => {
    const operator = await scenario.startOperator({ name: "patient" });
    const cluster = await scenario.create("patient");
    await cluster.settled(3);
    const [pid, before] = [operator.pid, await lease()];
    await stoppedFor(12_000);
    await cluster.changeSpec({ size: 5 });
    await cluster.settled(5);
    const after = await lease();
    assert.deepEqual(
      [after?.holderIdentity, after?.leaseTransitions],
      [before?.holderIdentity, before?.leaseTransitions],
    );
    assert.equal(operator.pid, pid);
    const lines = await linesOf(operator);
    assert.equal(lines.filter(({ msg }) => msg.startsWith("the API server does not answer")).length, 1);
    assert.ok(!lines.some(({ msg }) => msg.includes("could not be renewed")));
    await operator.stop();
  });

  test("for so long that it may not lead any more begins again by itself, in the same process", async () => {
    const operator = await scenario.startOperator({ name: "interrupted" });
    const cluster = scenario.cluster("patient");
    const before = await lease();
    await stoppedFor(TOO_LONG_MS);
    await until(async () => (await linesOf(operator)).some(({ msg }) => msg === "leading again"), {
      what: "the operator to lead again",
      timeoutMs: 60_000,
    });
    await cluster.changeSpec({ size: 3 });
    await cluster.settled(3);
    assert.equal((await lease())?.holderIdentity, before?.holderIdentity);
    await operator.stop();
  });

  test("and one that was stopped itself for so long takes its own Lease back", async () => {
    const operator = await scenario.startOperator({ name: "stopped" });
    const cluster = scenario.cluster("patient");
    const before = await lease();
    operator.freeze();
    await pause(TOO_LONG_MS);
    operator.thaw();
    await cluster.changeSpec({ size: 5 });
    await cluster.settled(5);
    const after = await lease();
    assert.deepEqual(
      [after?.holderIdentity, after?.leaseTransitions],
      [before?.holderIdentity, before?.leaseTransitions],
    );
    await operator.stop();
    await cluster.delete();
    await cluster.isGone();
  });
});
