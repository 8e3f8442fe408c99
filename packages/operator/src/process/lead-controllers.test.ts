import assert from "node:assert/strict";
import { createLogger, Health } from "@etcd-operator/controller-runtime";
import type { EventRecorder, IsLeading, KubeClient } from "@etcd-operator/kubernetes-client";
import { KubernetesError, keyOf, type ObjectRef, onAbort, type Stored } from "@etcd-operator/kubernetes-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import type { Lease } from "kubernetes-types/coordination/v1.d.ts";
import { beforeEach, describe, test } from "vitest";
import type { Controller, ControllerFactory } from "../context/controller-context.ts";
import { Metrics } from "../context/metrics.ts";
import { ownResources } from "../objects/own-resources.ts";
import { leadControllers } from "./lead-controllers.ts";
import { scopeOf } from "./scope.ts";

/** An API server with Leases, and with lists that are empty once it may answer them. */
class FakeServer {
  readonly leases = new Map<string, Stored<Lease>>();
  canList = true;
  isDown = false;
  #version = 0;

  async get(_: unknown, ref: ObjectRef) {
    if (this.isDown) throw failure("unavailable");
    const found = this.leases.get(keyOf(ref));
    if (!found) throw failure("not-found");
    return found;
  }

  async create(_: unknown, lease: Stored<Lease>) {
    return this.#put(lease);
  }

  async update(_: unknown, lease: Stored<Lease>) {
    if (this.isDown) throw failure("unavailable");
    const isStale = this.leases.get(keyOf(lease.metadata))?.metadata.resourceVersion !== lease.metadata.resourceVersion;
    if (isStale) throw failure("conflict");
    return this.#put(lease);
  }

  async list() {
    if (!this.canList) throw failure("unavailable");
    return { items: [], resourceVersion: "1" };
  }

  async *watch(_: unknown, { signal }: { signal: AbortSignal }) {
    await new Promise<void>((resolve) => onAbort(signal, resolve));
    yield* [];
  }

  giveTo(name: string, holderIdentity: string): void {
    const lease = this.leases.get(`here/etcd-operator-${name}-namespaced`);
    if (lease) this.#put({ ...lease, spec: { ...lease.spec, holderIdentity } });
  }

  holderOf(name: string): string | undefined {
    return this.leases.get(`here/etcd-operator-${name}-namespaced`)?.spec?.holderIdentity;
  }

  #put(lease: Stored<Lease>) {
    this.#version += 1;
    const stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.#version) } };
    this.leases.set(keyOf(lease.metadata), stored);
    return stored;
  }
}

function failure(code: "not-found" | "unavailable" | "conflict"): KubernetesError {
  return new KubernetesError(code, { operation: "CALL", message: "scripted" });
}

let clock: FakeClock;
let server: FakeServer;
/** What the controllers did, in order. */
let story: string[];

beforeEach(() => {
  clock = new FakeClock();
  server = new FakeServer();
  story = [];
});

/** A controller that follows EtcdClusters and works until it is stopped. */
function aController(name: string, run?: Controller["run"]): ControllerFactory {
  return {
    name,
    needs: [],
    create({ informers }) {
      const clusters = informers.add(ownResources.etcdClusters);
      const work: Controller["run"] = async (signal) => {
        story.push(`${name} begins, ${clusters.cache.hasSynced ? "synced" : "blind"}`);
        await new Promise<void>((resolve) => onAbort(signal, resolve));
        story.push(`${name} ends`);
      };
      return { run: run ?? work };
    },
  };
}

function start(identity: string, factories: readonly ControllerFactory[]) {
  const abort = new AbortController();
  const [health, metrics] = [new Health(), new Metrics()];
  const outcome: { error?: unknown; isOver: boolean } = { isOver: false };
  void leadControllers(
    factories,
    {
      // As much of a client as elections and informers use.
      client: server as unknown as KubeClient,
      recorder: {} as EventRecorder,
      scope: scopeOf({ clusterWide: false, namespace: "here" }),
      logger: createLogger({ level: "silent" }),
      metrics,
      health,
      identity: { holder: identity, hasEnded: () => false },
      clock,
      random: () => 0.5,
    },
    abort.signal,
  ).then(
    () => Object.assign(outcome, { isOver: true }),
    (error: unknown) => Object.assign(outcome, { isOver: true, error }),
  );
  return { abort, health, metrics, outcome };
}

describe("a controller", () => {
  test("begins when it is elected and its caches hold everything", async () => {
    server.canList = false;
    const { health } = start("one", [aController("clusters")]);
    await clock.advance(0);
    assert.equal(server.holderOf("clusters"), "one");
    assert.match(String(health.notReady), /clusters: not listed yet: etcdclusters/);
    assert.deepEqual(story, []);
    server.canList = true;
    await clock.advance(2_000);
    assert.deepEqual(story, ["clusters begins, synced"]);
    assert.deepEqual(health.notReady, []);
  });

  test("is not ready before it knows the leader", async () => {
    server.isDown = true;
    const { health } = start("one", [aController("clusters")]);
    await clock.advance(1_000);
    assert.deepEqual(health.notReady, ["clusters: leader election pending"]);
    server.isDown = false;
    await clock.advance(4_000);
    assert.deepEqual(health.notReady, []);
  });

  test("stands by, ready, while another process leads, and does not even list", async () => {
    start("one", [aController("clusters")]);
    await clock.advance(0);
    server.canList = false;
    const { health, metrics } = start("two", [aController("clusters")]);
    await clock.advance(5_000);
    assert.deepEqual(health.notReady, []);
    assert.match((await metrics.page()).text, /etcd_operator_leader\{controller="clusters"\} 0/);
    assert.equal(story.length, 1);
  });

  test("may write while it leads, and no more when it wakes up too late", async () => {
    let isLeading: IsLeading = () => false;
    const factory = aController("clusters");
    const spied: ControllerFactory = {
      ...factory,
      create(context) {
        isLeading = context.isLeading;
        return factory.create(context);
      },
    };
    start("one", [spied]);
    await clock.advance(5_000);
    assert.ok(isLeading());
    clock.freeze(25_000);
    assert.ok(!isLeading());
  });

  test("of each kind has an election of its own", async () => {
    start("one", [aController("backups")]);
    await clock.advance(0);
    start("two", [aController("clusters"), aController("backups")]);
    await clock.advance(0);
    assert.deepEqual([server.holderOf("clusters"), server.holderOf("backups")], ["two", "one"]);
  });
});

describe("a Lease that could not be renewed", () => {
  test("ends the work and not the process, and the work begins again with new lists", async () => {
    const { outcome, metrics } = start("one", [aController("clusters")]);
    await clock.advance(0);
    server.isDown = true;
    server.canList = false;
    await clock.advance(26_000);
    assert.deepEqual(story, ["clusters begins, synced", "clusters ends"]);
    assert.match((await metrics.page()).text, /etcd_operator_leader\{controller="clusters"\} 0/);
    await clock.advance(600_000);
    server.isDown = false;
    await clock.advance(10_000);
    assert.equal(story.length, 2, "nothing is done by what it knew before");
    server.canList = true;
    await clock.advance(30_000);
    assert.deepEqual(story.slice(2), ["clusters begins, synced"]);
    assert.deepEqual([outcome.isOver, server.holderOf("clusters")], [false, "one"]);
    assert.match((await metrics.page()).text, /etcd_operator_leader\{controller="clusters"\} 1/);
  });

  test("lets nothing of the earlier work write when it is held again", async () => {
    const seen: IsLeading[] = [];
    const factory = aController("clusters");
    const create: ControllerFactory["create"] = (context) => {
      seen.push(context.isLeading);
      return factory.create(context);
    };
    start("one", [{ ...factory, create }]);
    await clock.advance(0);
    server.isDown = true;
    await clock.advance(26_000);
    server.isDown = false;
    await clock.advance(10_000);
    assert.deepEqual(
      seen.map((isLeading) => isLeading()),
      [false, true],
    );
  });

  test("ends the process when a controller does not end, before another may begin", async () => {
    const { outcome } = start("one", [aController("clusters", () => new Promise(() => undefined))]);
    await clock.advance(0);
    server.isDown = true;
    await clock.advance(27_999);
    assert.ok(!outcome.isOver);
    await clock.advance(1);
    assert.equal((outcome.error as { code?: string }).code, "stuck");
  });
});

describe("the end", () => {
  test("hands over: first the controller ends, then the Lease is free, then the next one begins", async () => {
    const one = start("one", [aController("clusters")]);
    await clock.advance(0);
    const two = start("two", [aController("clusters")]);
    await clock.advance(1_000);
    one.abort.abort();
    await clock.advance(0);
    assert.deepEqual([one.outcome.isOver, one.outcome.error], [true, undefined]);
    assert.equal(server.holderOf("clusters"), undefined);
    await clock.advance(4_000);
    assert.deepEqual(story, ["clusters begins, synced", "clusters ends", "clusters begins, synced"]);
    assert.equal(two.outcome.isOver, false);
  });

  test("comes when another process took a Lease while it could not be renewed, and is a failure", async () => {
    const { outcome } = start("one", [aController("clusters"), aController("backups")]);
    await clock.advance(0);
    server.isDown = true;
    await clock.advance(24_000);
    assert.deepEqual([story.length, outcome.isOver], [2, false]);
    await clock.advance(2_000);
    assert.deepEqual(story.slice(2).sort(), ["backups ends", "clusters ends"]);
    assert.ok(!outcome.isOver);
    server.isDown = false;
    server.giveTo("clusters", "two");
    await clock.advance(5_000);
    assert.equal((outcome.error as { code?: string }).code, "lease-lost");
    assert.equal(server.holderOf("clusters"), "two");
  });

  test("comes when a controller fails, with its error", async () => {
    const { outcome } = start("one", [
      aController("clusters"),
      aController("backups", async () => {
        throw new Error("a bug");
      }),
    ]);
    await clock.advance(100);
    assert.equal((outcome.error as Error).message, "a bug");
    assert.deepEqual(story.at(-1), "clusters ends");
    assert.equal(server.holderOf("clusters"), undefined);
  });

  test("comes when a controller stops without being asked to, because its objects would not be reconciled", async () => {
    const { outcome } = start("one", [aController("clusters", async () => undefined)]);
    await clock.advance(100);
    assert.match((outcome.error as Error).message, /'clusters' stopped without being asked to/);
  });

  test("does not wait for ever for a controller that is stuck, and keeps its Lease", async () => {
    const { abort, outcome } = start("one", [aController("clusters", () => new Promise(() => undefined))]);
    await clock.advance(0);
    abort.abort();
    await clock.advance(7_999);
    assert.ok(!outcome.isOver);
    await clock.advance(1);
    assert.equal((outcome.error as { code?: string }).code, "stuck");
    assert.equal(server.holderOf("clusters"), "one");
  });
});
