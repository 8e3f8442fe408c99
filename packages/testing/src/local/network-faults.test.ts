import assert from "node:assert/strict";
import { once } from "node:events";
import type { Interface } from "node:readline";
import { afterEach, beforeEach, describe, test } from "vitest";
import { aNetwork, isRoot, type NetworkUnderTest, type PodUnderTest } from "./network.ts";
import { type NetworkFaults, networkFaults } from "./network-faults.ts";

const echoServer = `
  require("net").createServer((socket) => socket.on("error", () => {}).pipe(socket)).listen(7, () => console.log("up"));`;

// Sends a number every 20 ms on one connection, and prints each that comes back.
const counter = (ip: string) => `
  const socket = require("net").connect(7, "${ip}", () => { let n = 0; setInterval(() => socket.write(n++ + "\\n"), 20); });
  socket.setNoDelay(true).on("data", (data) => process.stdout.write(data));`;

describe.skipIf(!isRoot)("network faults (need root)", () => {
  let network: NetworkUnderTest;
  let faults: NetworkFaults;
  let a: PodUnderTest;
  let b: PodUnderTest;
  let c: PodUnderTest;

  beforeEach(async () => {
    network = await aNetwork();
    faults = networkFaults(network.config);
    [a, b, c] = [await network.addPod(), await network.addPod(), await network.addPod()];
    for (const pod of [a, b]) await once(pod.start("node", "-e", echoServer), "line");
  });
  afterEach(() => network.close());

  test("parted pods no longer reach each other on an established connection, until healed; all others do", async () => {
    const fromB = b.start("node", "-e", counter(a.ip));
    const fromC = c.start("node", "-e", counter(a.ip));
    await Promise.all([hears(fromB), hears(fromC)]);
    await faults.part(a, b);
    await hearsNothing(fromB);
    await hears(fromC);
    await assert.rejects(dial(b, a.ip), /timeout/);
    await assert.rejects(dial(a, b.ip), /timeout/);
    await faults.heal();
    await hears(fromB);
    await dial(b, a.ip);
  });

  test("two of them are rejoined, while others stay parted", async () => {
    await faults.part(a, b);
    await faults.part(a, c);
    await faults.rejoin(b.uid, "long-gone");
    await assert.rejects(dial(b, a.ip), /timeout/);
    await faults.part(a, b);
    await faults.rejoin(a.uid, b.uid);
    await dial(b, a.ip);
    await assert.rejects(dial(c, a.ip), /timeout/);
  });

  test("an isolated pod reaches no pod and no pod reaches it, until healed", async () => {
    const fromB = b.start("node", "-e", counter(a.ip));
    await hears(fromB);
    await faults.isolate(a.uid);
    await hearsNothing(fromB);
    await assert.rejects(dial(a, b.ip));
    await assert.rejects(dial(a, network.config.bridgeIp));
    // Another instance may heal it.
    await networkFaults(network.config).heal();
    await hears(fromB);
    await dial(a, b.ip);
  });

  test("one isolated pod is reconnected, while another stays cut off", async () => {
    await faults.isolate(a.uid);
    await faults.isolate(c.uid);
    await faults.reconnect(a.uid);
    await dial(a, b.ip);
    await assert.rejects(dial(c, b.ip));
    await faults.heal();
  });

  test("the pod to part must run here, but healing forgives what is gone", async () => {
    await assert.rejects(faults.part(a, { uid: "unknown", ip: "10.0.0.1" }), { code: "no-such-pod" });
    await faults.part(a, b);
    process.kill(b.pid, "SIGKILL");
    await faults.heal();
  });
});

async function hears(lines: Interface): Promise<void> {
  await once(lines, "line", { signal: AbortSignal.timeout(10_000) });
}

async function hearsNothing(lines: Interface): Promise<void> {
  // Two echoes may be on their way still; then twenty would have come.
  const heard: string[] = [];
  lines.on("line", (line) => heard.push(line));
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.ok(heard.length <= 2, `heard ${heard.length}`);
}

/** Connects from a pod; fails when that takes longer than half a second. */
async function dial(pod: PodUnderTest, ip: string): Promise<void> {
  const script = `
    const socket = require("net").connect(7, "${ip}", () => process.exit(0)).on("error", (e) => { console.error(e.message); process.exit(1); });
    setTimeout(() => { console.error("timeout"); process.exit(1); }, 500);`;
  await pod.run("node", "-e", script);
}
