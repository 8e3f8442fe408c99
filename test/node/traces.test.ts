import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { machineAround, tracesOf } from "@etcd-operator/testing/node/machine-around.ts";
import { type RealNode, startRealNode } from "@etcd-operator/testing/node/real-node.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";

const obstacle = process.env.KUBECONFIG_NODE !== undefined && "the cluster is not ours";
const NOTHING = { processes: 0, mounts: 0, cgroups: 0, files: 0 };

describe.skipIf(obstacle)(titleWith("a real node", obstacle), () => {
  test("changes nothing on the machine while it runs, and leaves nothing behind", { timeout: 300_000 }, async () => {
    const before = await machineAround();
    const node = await startRealNode();
    assert.deepEqual(await machineAround(), before);
    const running = await tracesOf(node);
    assert.ok(running.processes > 5 && running.cgroups > 0, JSON.stringify(running));
    assert.equal(running.mounts, 0);
    await node.stop();
    assert.deepEqual(await tracesOf(node), NOTHING);
    assert.deepEqual(await machineAround(), before);
  });

  test("leaves nothing behind when the process that started it is killed", { timeout: 300_000 }, async () => {
    const before = await machineAround();
    const holder = spawn(process.execPath, ["packages/testing/src/node/main.ts"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface(holder.stdout), "line");
    const node = JSON.parse(line) as Pick<RealNode, "directory" | "cgroup">;
    assert.ok((await tracesOf(node)).processes > 5);
    holder.kill("SIGKILL");
    let left = {};
    const isGone = async () => {
      left = await tracesOf(node);
      return JSON.stringify(left) === JSON.stringify(NOTHING);
    };
    await until(isGone, { what: "all of it to be gone", timeoutMs: 60_000, everyMs: 500 }).catch((error: Error) => {
      throw new Error(`${error.message}; left are: ${JSON.stringify(left)}`);
    });
    assert.deepEqual(await machineAround(), before);
  });
});
