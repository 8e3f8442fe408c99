import assert from "node:assert/strict";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { aRestoreSeen, aSeed } from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { aRunContext, aWorker, inNoTime } from "@etcd-operator/testing/restore/a-worker.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { beforeEach, describe, test } from "vitest";
import { sendToSeed } from "./send-to-seed.ts";
import type { Worker } from "./worker.ts";

const seed = aSeed();
const RUNNING = { running: { startedAt: "2030-01-01T00:00:00Z" } };

let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

/** An API server that knows one pod; `tell` sets what it reports of it next. */
function aServer(state: object = RUNNING) {
  let version = 1;
  const podWith = (receive: object) => ({
    metadata: { namespace: "prod", name: seed.name, uid: seed.uid, resourceVersion: String(version) },
    status: { podIP: "10.0.0.9", initContainerStatuses: [{ name: "receive", state: receive }] },
  });
  let pod = podWith(state);
  let wake: () => void = () => undefined;
  const listed = { isStale: false };
  const client = {
    get: async ({ plural }: { plural: string }) =>
      plural === "pods" ? pod : { data: { "tls.crt": "YQ==", token: "Yg==" } },
    list: async () => ({ items: listed.isStale ? [] : [pod], resourceVersion: String(version) }),
    async *watch(_: unknown, { signal }: { signal: AbortSignal }) {
      for (let told = version; !signal.aborted; ) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve());
        });
        if (version > told) yield { type: "MODIFIED", object: pod };
        told = version;
      }
    },
  };
  const tell = (receive: object) => {
    version += 1;
    pod = podWith(receive);
    wake();
  };
  return { client, tell, listed };
}

describe("bringing the snapshot", () => {
  async function sent(path: string): Promise<string> {
    store.objects.set("etcd", Buffer.from("the backup"));
    store.objects.set("etcd_safety_0a1b2c3d_2030-01-01-11:59:00", Buffer.from("what was saved"));
    const { restore } = aRestoreSeen({ status: { snapshot: { path, sizeBytes: 10, sha256: "ab" } } });
    let text = "";
    const push: Worker["push"] = async ({ address: to }, source) => {
      assert.equal(to, "10.0.0.9:2382");
      for await (const chunk of source) text += Buffer.from(chunk).toString();
    };
    const worker = aWorker(store, aServer().client, { restore, push });
    assert.deepEqual(await sendToSeed(worker, seed, aRunContext()), { kind: "pushed" });
    return text;
  }

  test("takes the backup, or what was saved, as is on record", async () => {
    assert.equal(await sent("backups/etcd"), "the backup");
    assert.equal(await sent("backups/etcd_safety_0a1b2c3d_2030-01-01-11:59:00"), "what was saved");
  });

  test("starts over when the pod cannot be reached, reading the store again", async () => {
    store.objects.set("etcd", Buffer.alloc(300_000));
    const clock = new FakeClock();
    let attempts = 0;
    const push: Worker["push"] = async (_, source) => {
      attempts += 1;
      for await (const _chunk of source) if (attempts < 3) break;
      if (attempts < 3) throw new ObjectStoreError("unavailable", { operation: "send", message: "refused" });
    };
    const run = sendToSeed(aWorker(store, aServer().client, { clock, push }), seed, aRunContext());
    assert.deepEqual(await inNoTime(clock, run), { kind: "pushed" });
    assert.equal(store.calls.filter((call) => call === "get etcd").length, 3);
  });

  test("opens the store while the pod starts, and sends the moment that it listens", async () => {
    store.objects.set("etcd", Buffer.from("the backup"));
    const { client, tell } = aServer({ waiting: { reason: "PodInitializing" } });
    const events: string[] = [];
    const { open } = aWorker(store, client);
    const worker = aWorker(store, client, {
      open: (signal, isNeeded) => {
        events.push("opened");
        return open(signal, isNeeded);
      },
      push: async () => void events.push("pushed"),
    });
    const run = sendToSeed(worker, seed, aRunContext());
    await until(() => events.includes("opened"), { what: "the store to be opened" });
    tell({ waiting: { reason: "PodInitializing" } });
    assert.deepEqual(events, ["opened"]);
    tell(RUNNING);
    await run;
    assert.deepEqual(events, ["opened", "pushed"]);
  });

  test("sends nothing to a pod that has the snapshot", async () => {
    const { client } = aServer({ terminated: { exitCode: 0 } });
    const push: Worker["push"] = async () => assert.fail("it was sent");
    assert.deepEqual(await sendToSeed(aWorker(store, client, { push }), seed, aRunContext()), { kind: "pushed" });
  });

  test("does not wait for a pod whose place another one has taken, nor tries again", async () => {
    const run = sendToSeed(aWorker(store, aServer().client), { ...seed, uid: "other" }, aRunContext());
    await assert.rejects(run, { code: "not-found" });
  });

  test("goes on waiting for a pod that a list is too old to show", async () => {
    store.objects.set("etcd", Buffer.from("the backup"));
    const { client, tell, listed } = aServer({ waiting: { reason: "PodInitializing" } });
    listed.isStale = true;
    const asked: string[] = [];
    const get: typeof client.get = (resource) => {
      asked.push(resource.plural);
      return client.get(resource);
    };
    const worker = aWorker(store, { ...client, get }, { push: async () => undefined });
    const run = sendToSeed(worker, seed, aRunContext());
    await until(() => asked.includes("pods"), { what: "the pod to be asked for by name" });
    tell(RUNNING);
    assert.deepEqual(await run, { kind: "pushed" });
  });

  test("that is cancelled while the pod starts ends at once", async () => {
    const abort = new AbortController();
    const { client } = aServer({ waiting: {} });
    const context = { ...aRunContext(), signal: abort.signal };
    const run = assert.rejects(sendToSeed(aWorker(store, client), seed, context), /enough/);
    abort.abort(new Error("enough"));
    await run;
  });
});
