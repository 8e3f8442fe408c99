import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { linksOf } from "@etcd-operator/local-kubernetes/network/bridge.ts";
import { describe, onTestFinished, test } from "vitest";
import { until } from "../until.ts";
import { isRoot } from "./network.ts";

/** Runs a program that says the name of an instance once it has links, and kills it then. */
async function killed(program: string): Promise<string> {
  const args = ["--input-type=module", "-e", program];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  assert.ok(child.stdout);
  const [instance] = (await once(child.stdout, "data")) as [Buffer];
  child.kill("SIGKILL");
  await once(child, "exit");
  return String(instance).trim();
}

const hasNoLinks = async (instance: string) => (await linksOf(instance)).length === 0;

describe.skipIf(!isRoot)("a process that is killed with SIGKILL leaves no link behind (needs root)", () => {
  test("a test with a network: three bridges of killed test runs once stayed", async () => {
    const instance = await killed(`
      import { aNetwork } from "./packages/testing/src/local/network.ts";
      const network = await aNetwork();
      await network.addPod();
      console.log(network.config.instance);
      setInterval(() => undefined, 1_000);
    `);
    await until(() => hasNoLinks(instance), { what: "the bridge to go" });
  });

  test("a local mode whose bridge is only just being made, by a program that outlives it for a moment", async () => {
    const instance = await killed(`
      import { spawn } from "node:child_process";
      import { mkdtempSync } from "node:fs";
      import { withFileLock } from "./packages/local-kubernetes/src/binaries/file-lock.ts";
      import { linkRemoval } from "./packages/local-kubernetes/src/network/bridge.ts";
      const instance = process.pid.toString(16).padStart(6, "0").slice(-6);
      const lock = mkdtempSync("/tmp/guarded-links-") + "/lock";
      const afterwards = ["sh", "-c", 'rm -rf "$1"; shift; exec "$@"', "sh", lock.replace(/.lock$/, ""), ...linkRemoval(instance)];
      await withFileLock(lock, { afterwards }, async () => {
        spawn("sh", ["-c", "sleep 0.3; ip link add eo" + instance + " type bridge"], { detached: true, stdio: "ignore" });
        console.log(instance);
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      });
    `);
    await until(async () => !(await hasNoLinks(instance)), { what: "the bridge to appear", everyMs: 10 });
    await until(() => hasNoLinks(instance), { what: "the bridge to go" });
  });
});
