import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, test } from "vitest";
import { processIdentity } from "./identity.ts";

const POD = { MY_POD_NAME: "etcd-operator-1", MY_POD_UID: "4f0d", MY_CONTAINER_NAME: "etcd-operator" };
/** Prints its identity, and then runs until it is killed. */
const PROGRAM = `
import { processIdentity } from "./packages/operator/src/process/identity.ts";
process.stdout.write(processIdentity().holder);
setInterval(() => {}, 1000);
`;

const started: ChildProcess[] = [];
afterEach(async () => {
  for (const child of started.splice(0)) await killed(child);
});

async function speaking(env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; holder: string }> {
  const args = ["--input-type=module", "--eval", PROGRAM];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  const [holder] = await once(child.stdout, "data");
  return { child, holder: String(holder) };
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** As the same process would call itself in another namespace of process ids. */
const elsewhere = (holder: string) => holder.replace(/\.\d+(\.\d+\.\d+_)/, ".1$1");

test("no two processes have one identity, not even in one pod", () => {
  const [one, two] = [processIdentity(POD), processIdentity(POD)];
  assert.match(one.holder, /^etcd-operator-1_[0-9a-f]{16}\.\d+\.\d+\.\d+_[0-9a-f]{10}$/);
  assert.equal(one.name, "etcd-operator-1");
  assert.notEqual(one.holder, two.holder);
  assert.match(processIdentity({}).holder, /^.+_[0-9a-f]{10}$/);
});

describe.each([
  ["on one machine", {}],
  ["in one container", POD],
])("a process %s", (_, env) => {
  test("has ended once it was killed, and not while it runs or is stopped", { timeout: 30_000 }, async () => {
    const { child, holder } = await speaking(env);
    const ours = processIdentity(env);
    assert.ok(!ours.hasEnded(holder), "it runs");
    child.kill("SIGSTOP");
    assert.ok(!ours.hasEnded(holder), "it is stopped");
    await killed(child);
    assert.ok(ours.hasEnded(holder), "it was killed");
  });

  test("has ended where its id is another process's now", () => {
    const ours = processIdentity(env);
    assert.ok(!ours.hasEnded(ours.holder));
    assert.ok(ours.hasEnded(ours.holder.replace(/\.\d+_/, ".1_")));
  });
});

describe("of a process in another namespace of process ids", () => {
  test("a restarted container knows that its previous run has ended", () => {
    assert.ok(processIdentity(POD).hasEnded(elsewhere(processIdentity(POD).holder)));
  });

  test.each([
    ["another container of the pod", { ...POD, MY_CONTAINER_NAME: "backups" }],
    ["a pod that was deleted and has the same name again", { ...POD, MY_POD_UID: "5a1e" }],
    ["a container without a name", { ...POD, MY_CONTAINER_NAME: "" }],
    ["a pod without a UID", { ...POD, MY_POD_UID: "" }],
  ])("%s knows nothing", (_, env) => {
    assert.ok(!processIdentity(env).hasEnded(elsewhere(processIdentity(POD).holder)));
    assert.ok(!processIdentity(POD).hasEnded(elsewhere(processIdentity(env).holder)));
  });

  test("the same machine knows nothing", () => {
    assert.ok(!processIdentity({}).hasEnded(elsewhere(processIdentity({}).holder)));
  });
});

test("of a holder that calls itself in another way nothing is known", () => {
  for (const holder of ["", "etcd-operator-1", "etcd-operator-1_0123456789", "thief"]) {
    assert.ok(!processIdentity(POD).hasEnded(holder));
  }
});
