import assert from "node:assert/strict";
import type { Endpoint } from "@etcd-operator/etcd-client";
import { connectEtcd } from "@etcd-operator/etcd-client";
import type { KubeClient, KubeObject, ObjectRef, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError, systemClock } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError, type ObjectStoreErrorCode } from "@etcd-operator/object-store";
import { anEtcdBackup } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { writeKeys } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod, Secret } from "kubernetes-types/core/v1.d.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { chooseMember } from "../../transfer/snapshot/choose-member.ts";
import { metadataKey, metadataText, type SnapshotMetadata } from "../../transfer/snapshot/snapshot-metadata.ts";
import { takeSnapshot } from "../../transfer/snapshot/take-snapshot.ts";
import type { DrillAbout } from "../observation.ts";
import { type DrillParts, runDrill } from "./run-drill.ts";

const KEY = "etcd/nightly";
const { signal } = new AbortController();
let etcd: EtcdProcess;
let taken: { store: MemoryStore; metadata: SnapshotMetadata };
let store: MemoryStore;
let kube: FakeKube;
let dialled: Endpoint[];

beforeAll(async () => {
  etcd = await startEtcd({ version: "3.5.16" });
  const endpoints = [{ address: new URL(etcd.clientUrl).host }];
  const member = await chooseMember({ description: "etcd", endpoints, clusterId: undefined }, signal);
  await writeKeys(member.client, 100);
  const memory = new MemoryStore();
  const usual = { clock: systemClock, fence: () => undefined, onProgress: () => undefined };
  const backup = { namespace: "prod", name: "nightly", uid: "uid-1" };
  taken = {
    store: memory,
    metadata: await takeSnapshot({ member, store: memory, key: KEY, backup, ...usual }, signal),
  };
  member.close();
});
afterAll(() => etcd?.stop());
beforeEach(() => {
  store = new MemoryStore();
  for (const [key, bytes] of taken.store.objects) store.objects.set(key, bytes);
  [kube, dialled] = [new FakeKube(), []];
});

/** Pods that get on by themselves, as far as the test lets them. */
class FakeKube {
  readonly pods = new Map<string, Stored<Pod>>();
  readonly secrets: Secret[] = [];
  readonly deleted: string[] = [];
  /** The states that a new pod goes through, one check after another; the last one stays. */
  states: Pod["status"][] = [WAITING, RECEIVING, SERVING];
  failure: { readonly kind: string; readonly error: Error } | undefined;

  readonly client = {
    get: async ({ kind }: Resource, { name }: ObjectRef) => {
      const pod = kind === "Pod" ? this.pods.get(name) : undefined;
      if (!pod) throw new KubernetesError("not-found", { operation: `GET ${kind}`, message: "not found" });
      const status = this.states.length > 1 ? this.states.shift() : this.states[0];
      return { ...pod, status };
    },
    list: async () => ({ items: [...this.pods.values()] }),
    create: async ({ kind }: Resource, object: KubeObject) => {
      if (this.failure?.kind === kind) throw this.failure.error;
      const { name = "" } = object.metadata ?? {};
      const stored = { ...object, metadata: { ...object.metadata, uid: `uid of ${name}` } } as Stored<Pod>;
      if (kind === "Pod") this.pods.set(name, stored);
      else this.secrets.push(object as Secret);
      return stored;
    },
    delete: async (_: Resource, { name }: ObjectRef) => {
      this.pods.delete(name);
      this.deleted.push(name);
    },
  } as unknown as KubeClient;
}

const container = (name: string, state: object) => ({
  name,
  state,
  ready: true,
  restartCount: 0,
  image: "",
  imageID: "",
});
const WAITING: Pod["status"] = { phase: "Pending" };
const RECEIVING: Pod["status"] = {
  phase: "Pending",
  podIP: "10.0.0.9",
  initContainerStatuses: [container("receive", { running: {} })],
};
const SERVING: Pod["status"] = {
  phase: "Running",
  podIP: "10.0.0.9",
  initContainerStatuses: [container("receive", { terminated: { exitCode: 0 } })],
  containerStatuses: [container("etcd", { running: {} })],
};
const FAILED: Pod["status"] = {
  phase: "Failed",
  podIP: "10.0.0.9",
  initContainerStatuses: [container("restore", { terminated: { exitCode: 1, message: "corrupt" } })],
};

const ABOUT: DrillAbout = {
  uid: "uid-1",
  request: "",
  startedAtMs: 0,
  slotMs: 0,
  snapshot: { path: `bucket/${KEY}` },
};

function drill(parts: Partial<DrillParts> = {}, stop: AbortSignal = signal) {
  const usual: DrillParts = {
    client: kube.client,
    clock: systemClock,
    fence: () => undefined,
    random: Math.random,
    image: "etcd-operator:test",
    openStore: async () => ({ store, key: KEY, pathOf: (key) => `bucket/${key}`, close: () => store.close() }),
    push: async (_, source) => {
      for await (const _chunk of source);
    },
    connect: (endpoint) => {
      dialled.push(endpoint);
      return connectEtcd({ address: new URL(etcd.clientUrl).host });
    },
  };
  return runDrill({ ...usual, ...parts }, { backup: anEtcdBackup(), about: ABOUT }, stop);
}

/** The same backup, with something else noted about it. */
function noted(changes: Partial<SnapshotMetadata>): void {
  store.objects.set(metadataKey(KEY), Buffer.from(metadataText({ ...taken.metadata, ...changes })));
}

describe("a drill", () => {
  test("passes when the restored member has what was noted, and leaves no pod", async () => {
    const pushed: unknown[] = [];
    const push: DrillParts["push"] = async ({ address }, source, { sizeBytes, sha256 }) => {
      let bytes = 0;
      for await (const chunk of source) bytes += chunk.length;
      pushed.push(address, sizeBytes, sha256, bytes);
    };
    const outcome = await drill({ push });
    const { revision, keys, sizeBytes, sha256 } = taken.metadata;
    assert.equal(outcome.kind, "passed");
    assert.deepEqual([outcome.revision, outcome.keys, outcome.sizeBytes], [revision, keys, sizeBytes]);
    assert.deepEqual(pushed, ["10.0.0.9:2382", sizeBytes, sha256, sizeBytes]);
    assert.deepEqual([kube.pods.size, kube.deleted.length, store.calls.at(-1)], [0, 1, "close"]);
  });

  test("shows the member the certificate that only its pod and the operator have", async () => {
    await drill();
    const [secret] = kube.secrets;
    const cert = Buffer.from(secret?.data?.["tls.crt"] ?? "", "base64").toString();
    const [{ address, tls, serverName } = {} as Endpoint] = dialled;
    assert.deepEqual([address, tls?.ca, tls?.cert], ["10.0.0.9:2379", cert, cert]);
    assert.match(serverName ?? "", /^nightly-drill-[a-z0-9]{10}$/);
    assert.equal(secret?.metadata?.ownerReferences?.[0]?.kind, "Pod");
  });

  test.each([
    ["fewer keys", { keys: 101 }, /^it has 100 keys, but 101 were recorded$/],
    [
      "other keys",
      { hashKV: { revision: 0, compactRevision: 0, hash: 1 } },
      /^its keys have the hash \d+, but 1 was recorded$/,
    ],
    ["an older revision", { revision: 1_000_000 }, /^it is at revision \d+, but 1000000 was recorded$/],
  ])("fails when the restored member has %s", async (_, changes, message) => {
    const { hashKV } = taken.metadata;
    noted("hashKV" in changes && hashKV ? { hashKV: { ...hashKV, hash: 1 } } : changes);
    const outcome = await drill();
    assert.match(outcome.kind === "failed" ? outcome.message : "", message);
    assert.equal(typeof outcome.revision, "number");
    assert.equal(kube.pods.size, 0);
  });

  test("does not compare hashes that were taken after different compactions, nor what was not noted", async () => {
    const { hashKV } = taken.metadata;
    noted({ hashKV: hashKV && { ...hashKV, compactRevision: 3, hash: 1 }, keys: undefined });
    assert.equal((await drill()).kind, "passed");
  });

  test("streams in its turn, which it waits for as long as it takes", async () => {
    const clock = new FakeClock();
    const seen: string[] = [];
    let come: () => void = () => assert.fail("nothing waits");
    const comes = new Promise<void>((resolve) => {
      come = resolve;
    });
    const turn = async () => {
      seen.push("waits");
      await comes;
      return () => void seen.push("leaves");
    };
    const push = async () => void seen.push("pushes");
    kube.states = [RECEIVING, SERVING];
    const outcome = drill({ clock, turn, push });
    for (let hour = 0; hour < 5; hour += 1) await clock.advance(3_600_000);
    assert.deepEqual(seen, ["waits"]);
    come();
    await until(() => clock.advance(500).then(() => seen.length === 3), { what: "the end of its turn", everyMs: 1 });
    assert.deepEqual([(await outcome).kind, seen], ["passed", ["waits", "pushes", "leaves"]]);
  });

  test("goes on when only the last answer of the one that received it was lost", async () => {
    const push = () => Promise.reject(new ObjectStoreError("unavailable", { operation: "send", message: "reset" }));
    assert.equal((await drill({ push })).kind, "passed");
  });

  test("removes what an earlier one left behind", async () => {
    kube.pods.set("old", { metadata: { name: "old", namespace: "prod", uid: "x" } } as Stored<Pod>);
    await drill();
    assert.equal(kube.deleted[0], "old");
  });
});

describe("a drill that cannot be carried out", () => {
  test("is tried three times, with a pause, and then says why", async () => {
    const clock = new FakeClock();
    kube.states = [FAILED];
    const outcome = drill({ clock });
    await clock.advance(0);
    await clock.advance(30_000);
    await clock.advance(30_000);
    const { kind, ...rest } = await outcome;
    assert.equal(kind, "failed");
    assert.match(
      "message" in rest ? rest.message : "",
      /could not be carried out: container restore ended with exit code 1: corrupt/,
    );
    assert.deepEqual([kube.deleted.length, clock.pendingMs], [3, []]);
  });

  test("reports how long its last attempt took, without the waiting before", async () => {
    const clock = new FakeClock();
    kube.states = [FAILED];
    const outcome = drill({ clock });
    const beganAtMs = clock.now();
    await clock.advance(0);
    await clock.advance(30_000);
    await clock.advance(30_000);
    const { begunAtMs, endedAtMs } = await outcome;
    assert.deepEqual([begunAtMs, endedAtMs], [beganAtMs + 60_000, beganAtMs + 60_000]);
  });

  test.each<[string, ObjectStoreErrorCode, RegExp]>([
    ["what is stored is not what was noted", "corrupt", /^the backup is damaged: send: its SHA-256/],
    ["it is not there", "not-found", /^the backup does not exist any more: send: /],
    ["no member takes it", "access-denied", /^the drill could not be carried out: send: /],
  ])("says whether that is a verdict on the backup: %s", async (_, code, says) => {
    const clock = new FakeClock();
    const push = () => Promise.reject(new ObjectStoreError(code, { operation: "send", message: "its SHA-256 is x" }));
    kube.states = [RECEIVING];
    const outcome = drill({ clock, push });
    for (let pauses = 0; pauses < 3; pauses += 1) await clock.advance(30_000);
    const ended = await outcome;
    assert.match(ended.kind === "failed" ? ended.message : "", says);
  });

  test("because it needs a fix is not tried again", async () => {
    const openStore = () => Promise.reject(new ObjectStoreError("access-denied", { operation: "open", message: "no" }));
    const outcome = await drill({ openStore });
    assert.match(outcome.kind === "failed" ? outcome.message : "", /could not be carried out: open: no/);
  });

  test("removes its pod when its Secret cannot be made", async () => {
    const error = new KubernetesError("forbidden", { operation: "POST secrets", message: "no" });
    kube.failure = { kind: "Secret", error };
    await drill();
    assert.deepEqual([kube.pods.size, kube.deleted.length], [0, 1]);
  });

  test("removes its pod when it is cancelled, and throws", async () => {
    const abort = new AbortController();
    const push = async () => {
      abort.abort(new Error("the object was deleted"));
      throw new Error("aborted");
    };
    await assert.rejects(drill({ push }, abort.signal), /the object was deleted/);
    assert.deepEqual([kube.pods.size, kube.deleted.length], [0, 1]);
  });

  test("is ended after an hour", async () => {
    const clock = new FakeClock();
    kube.states = [WAITING];
    const outcome = drill({ clock });
    for (let minute = 0; minute < 61; minute += 1) await clock.advance(60_000);
    const { kind, ...rest } = await outcome;
    assert.equal(kind, "failed");
    assert.match("message" in rest ? rest.message : "", /it took longer than 3600 s/);
    assert.equal(kube.pods.size, 0);
  });

  test.each<[string, Pod["status"], RegExp]>([
    [
      "it cannot be scheduled",
      { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", message: "no node has room" }] },
      /; pod 'nightly-drill-[a-z0-9]{10}': it cannot be scheduled: no node has room$/,
    ],
    [
      "its image cannot be had",
      {
        phase: "Pending",
        initContainerStatuses: [container("receive", { waiting: { reason: "ImagePullBackOff", message: "denied" } })],
      },
      /: container receive cannot start: ImagePullBackOff: denied$/,
    ],
    ["for an unknown reason", WAITING, /: it has not started \(see its Events/],
  ])("that is ended since its pod does not come up says why: %s", async (_, status, says) => {
    const clock = new FakeClock();
    kube.states = [status];
    const outcome = drill({ clock });
    for (let minute = 0; minute < 61; minute += 1) await clock.advance(60_000);
    const ended = await outcome;
    assert.match(ended.kind === "failed" ? ended.message : "", /could not be carried out: it took longer than 3600 s/);
    assert.match(ended.kind === "failed" ? ended.message : "", says);
  });

  test("makes nothing when this operator does not lead any more", async () => {
    const clock = new FakeClock();
    const outcome = drill({ clock, fence: () => assert.fail("not leading") });
    for (let pauses = 0; pauses < 3; pauses += 1) await clock.advance(30_000);
    assert.equal((await outcome).kind, "failed");
    assert.deepEqual([kube.pods.size, kube.deleted.length], [0, 0]);
  });
});
