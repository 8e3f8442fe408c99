import assert from "node:assert/strict";
import { connectEtcd, type EtcdClient } from "@etcd-operator/etcd-client";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, onTestFinished, test } from "vitest";
import { randomOf } from "../../../model/random.ts";
import { judged } from "../checks/judged.ts";
import type { Action } from "../history/operation.ts";
import { Recorder } from "../history/recorder.ts";
import { ask } from "./ask.ts";
import { useRegisters } from "./register-client.ts";
import type { Scene } from "./session.ts";
import { Watcher } from "./watcher.ts";

let etcd: EtcdProcess;
let client: EtcdClient;
let clusterId: bigint;
let count = 0;
const version = "3.5.16";

beforeAll(async () => {
  etcd = await startEtcd({ version });
  client = connectEtcd({ address: addressOf(etcd) });
  ({ clusterId } = await client.status());
});
afterAll(async () => {
  client?.close();
  await etcd?.stop();
});

function addressOf({ clientUrl }: EtcdProcess): string {
  return new URL(clientUrl).host;
}

/** A scene of its own on the one etcd: keys with a prefix of their own. */
function aScene(expected = clusterId): { scene: Scene; recorder: Recorder; prefix: string; signal: AbortSignal } {
  const recorder = new Recorder(() => performance.now());
  recorder.beginEpoch(expected);
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  count += 1;
  const epoch = () => recorder.epochs.at(-1) ?? { number: 0, clusterId: expected };
  const scene = { recorder, addresses: () => [addressOf(etcd)], epoch };
  return { scene, recorder, prefix: `scene-${count}/`, signal: stop.signal };
}

async function recorded(recorder: Recorder, by: EtcdProcess, key: string, action: Action): Promise<void> {
  const client = connectEtcd({ address: addressOf(by) });
  recorder.call({ client: "once", epoch: 0, key, action })(await ask(client, key, action));
  client.close();
}

describe("what an operation came to", () => {
  test("is known from etcd's answers: what changed, at which revision, and what was there", async () => {
    const key = "asked";
    const written = await ask(client, key, { kind: "write", to: "one" });
    assert.ok(written.kind === "ok" && written.hasChanged);
    const seen = { value: "one", modRevision: written.revision };
    assert.deepEqual(await ask(client, key, { kind: "read" }), { ...written, hasChanged: false, seen });
    const refused = await ask(client, key, { kind: "swap", from: "other", to: "two" });
    assert.deepEqual(refused, { ...written, hasChanged: false, seen });
    const swapped = await ask(client, key, { kind: "swap", from: "one", to: "two" });
    assert.ok(swapped.kind === "ok" && swapped.hasChanged && swapped.revision > written.revision);
    const deleted = await ask(client, key, { kind: "delete" });
    assert.ok(deleted.kind === "ok" && deleted.hasChanged && deleted.seen?.value === "two");
    const nothing = await ask(client, key, { kind: "delete" });
    assert.ok(nothing.kind === "ok" && !nothing.hasChanged && nothing.seen === undefined);
    const created = await ask(client, key, { kind: "swap", from: undefined, to: "three" });
    assert.ok(created.kind === "ok" && created.hasChanged);
  });

  test("is unknown without an answer", async () => {
    const unreachable = connectEtcd({ address: "127.0.0.1:1" }, { timeoutMs: 500 });
    onTestFinished(() => unreachable.close());
    assert.equal((await ask(unreachable, "key", { kind: "write", to: "x" })).kind, "unknown");
  });
});

describe("clients of one etcd", () => {
  test("leave a history in which nothing is broken, and which their watches got completely", async () => {
    const { scene, recorder, prefix, signal } = aScene();
    const keys = [`${prefix}a`, `${prefix}b`];
    const watcher = new Watcher(scene, { name: "w", prefix, restlessAfter: 20 }, randomOf(1));
    void watcher.follow(signal);
    await until(() => watcher.hasSeen(0, 0n), { what: "the watch" });
    const stop = new AbortController();
    const clients = [1, 2, 3, 4].map((number) =>
      useRegisters(scene, { name: `c${number}`, keys, paceMs: 1 }, randomOf(number), stop.signal),
    );
    await until(() => recorder.operations.length > 300, { what: "operations" });
    stop.abort();
    await Promise.all(clients);
    const last = { key: `${prefix}a`, action: { kind: "write", to: "end" } } as const;
    const { outcome } = recorder.call({ client: "end", epoch: 0, ...last })(await ask(client, last.key, last.action));
    assert.ok(outcome.kind === "ok");
    await until(() => watcher.hasSeen(0, outcome.revision), { what: "the end to be seen" });
    const kinds = new Set(recorder.operations.map(({ action }) => action.kind));
    assert.deepEqual([...kinds].sort(), ["delete", "read", "swap", "write"]);
    assert.ok(recorder.watches.length > 2, "it was restless");
    assert.deepEqual(judged(recorder), []);
  });

  test("ask nothing of another cluster", async () => {
    const { scene: there, recorder, prefix, signal } = aScene(clusterId + 1n);
    let attempts = 0;
    const addresses = () => {
      attempts += 1;
      return there.addresses();
    };
    const scene = { ...there, addresses };
    void useRegisters(scene, { name: "c", keys: [`${prefix}a`], paceMs: 1 }, randomOf(1), signal);
    void new Watcher(scene, { name: "w", prefix, restlessAfter: 20 }, randomOf(1)).follow(signal);
    await until(() => attempts > 6, { what: "several attempts of both" });
    assert.equal((await client.range({ key: `${prefix}a` })).count, 0);
    assert.deepEqual([recorder.operations, recorder.watches], [[], []]);
  });
});

describe("an etcd that forgot everything and goes by the same name", () => {
  test("is found out by registers, revisions and watches", async () => {
    // What makes the id of a cluster; no request is ever sent to that address.
    const peer = "http://127.0.0.1:9";
    const flags = ["--initial-advertise-peer-urls", peer, "--initial-cluster", `test=${peer}`];
    const [before, after] = [await startEtcd({ version, flags }), await startEtcd({ version, flags })];
    onTestFinished(() => Promise.all([before.stop(), after.stop()]).then(() => undefined));
    let current = before;
    const asked = connectEtcd({ address: addressOf(before) });
    const { scene: there, recorder, prefix, signal } = aScene((await asked.status()).clusterId);
    asked.close();
    const scene = { ...there, addresses: () => [addressOf(current)] };
    const watcher = new Watcher(scene, { name: "w", prefix, restlessAfter: 20 }, randomOf(1));
    void watcher.follow(signal);
    await until(() => watcher.hasSeen(0, 0n), { what: "the watch" });
    const key = `${prefix}a`;
    const busy = (client: string, until: AbortSignal) =>
      useRegisters(scene, { name: client, keys: [key], paceMs: 1 }, randomOf(client.length), until);
    const stop = new AbortController();
    const clients = [busy("c1", stop.signal), busy("other", stop.signal)];
    await until(() => recorder.operations.length > 60, { what: "operations" });
    stop.abort();
    await Promise.all(clients);
    await recorded(recorder, before, key, { kind: "write", to: "kept" });
    current = after;
    await before.stop();
    await recorded(recorder, after, key, { kind: "read" });
    void busy("c1", signal);
    const known = recorder.watches.reduce((newest, { through }) => (through > newest ? through : newest), 0n);
    // It is behind, so its reports do not count until it gets there.
    await until(() => watcher.hasSeen(0, known + 1n), { what: "the watch to go on" });
    const broken = judged(recorder).join("\n");
    assert.match(broken, /key scene-\d+\/a is not linearizable/);
    assert.match(broken, /revision \d+ had been given out before/);
    assert.match(broken, /watch w of epoch 0: /);
  });
});

describe("a watch", () => {
  test("whose revision was compacted while it was away reads again, and records that", async () => {
    const { scene, recorder, prefix, signal } = aScene();
    let isAway = false;
    const away: Scene = { ...scene, addresses: () => (isAway ? [] : scene.addresses()) };
    const watcher = new Watcher(away, { name: "w", prefix, restlessAfter: 1 }, randomOf(3));
    void watcher.follow(signal);
    await until(() => watcher.hasSeen(0, 0n), { what: "the watch" });
    isAway = true;
    // Restless as it is, it hangs up after the first events, and finds no server.
    const seen = await client.put({ key: `${prefix}a`, value: "1" });
    await client.put({ key: `${prefix}a`, value: "2" });
    await until(() => watcher.hasSeen(0, seen.revision), { what: "the first event" });
    for (const value of ["3", "4", "5", "6"]) await client.put({ key: `${prefix}a`, value });
    await client.put({ key: `${prefix}b`, value: "1" });
    const { revision } = await client.put({ key: `${prefix}b`, value: "2" });
    await client.compact(revision);
    isAway = false;
    const late = await client.put({ key: `${prefix}a`, value: "7" });
    await until(
      async () =>
        watcher.hasSeen(0, late.revision) || (await client.put({ key: `${prefix}a`, value: "8" })) === undefined,
      { what: "the watch to go on" },
    );
    const restarted = recorder.watches.filter(({ isResumed }) => !isResumed);
    assert.equal(restarted.length, 2);
    assert.ok((restarted[1]?.from ?? 0n) > revision);
    assert.deepEqual(
      restarted[1]?.listed.map(({ key }) => key),
      [`${prefix}a`, `${prefix}b`],
    );
  });
});
