import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { linksOf } from "@etcd-operator/local-kubernetes/network/bridge.ts";
import { instanceOf } from "@etcd-operator/local-kubernetes/supervisor/instance.ts";
import { runCommand } from "@etcd-operator/testing/process/run-command.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

let stateDir: string;
beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "killed-early-"));
});
afterAll(() => rm(stateDir, { recursive: true, force: true }));

const exists = (path: string) =>
  access(join(stateDir, path)).then(
    () => true,
    () => false,
  );
const hasLinks = async () => (await linksOf(instanceOf(stateDir))).length > 0;

describe("a local mode that is killed leaves no link, at whatever moment of its start", () => {
  test.each<[string, () => Promise<boolean>]>([
    ["it holds its lock", () => exists("lock")],
    ["it has chosen addresses", () => exists("config.json")],
    ["its bridge is there", hasLinks],
    ["its store starts", () => exists("logs/store.log")],
    ["its API server starts", () => exists("logs/apiserver.log")],
    ["its network starts", () => exists("logs/network.log")],
    ["its API answers", () => exists("kubeconfig")],
  ])("when %s", async (_, isReached) => {
    await rm(stateDir, { recursive: true, force: true });
    const [port] = await freePorts(1);
    const flags = ["--state", stateDir, "--port", String(port), "--operator", "false", "--nodes", "2"];
    const child = spawn(process.execPath, ["dist/local/local.mjs", "up", ...flags], { stdio: "ignore" });
    const exited = once(child, "exit");
    await until(isReached, { what: "that moment", everyMs: 1 });
    child.kill("SIGKILL");
    await exited;
    // The process that cleans up holds the lock until it is done.
    const isFree = async () => (await runCommand("flock", ["-n", join(stateDir, "lock"), "true"])).code === 0;
    await until(isFree, { what: "the lock to be free" });
    assert.equal(await hasLinks(), false);
    assert.equal(await exists("kubeconfig"), false);
  });
});
