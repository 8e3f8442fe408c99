import assert from "node:assert/strict";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import type { Lease } from "kubernetes-types/coordination/v1.d.ts";
import { describe, test } from "vitest";
import type { Stored } from "../requests/kube-object.ts";
import { KubernetesError, type KubernetesErrorCode } from "../requests/kubernetes-error.ts";
import type { CallOptions } from "../requests/request-options.ts";
import { pause } from "../watch/clock.ts";
import { type IsLeading, runElected } from "./lease-election.ts";
import type { LeaseLockOptions } from "./lease-lock.ts";

/** One Lease with the API server's rules, which can be made unreachable for some, or hang for all. */
class LeaseServer {
  lease: Stored<Lease> | undefined;
  readonly cutOff = new Set<string>();
  isHanging = false;
  readonly #clock: FakeClock;
  #version = 0;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  clientOf(identity: string): LeaseLockOptions["client"] {
    const reach = async (call?: CallOptions) => {
      if (this.cutOff.has(identity)) throw problem("unavailable");
      if (!this.isHanging) return;
      await pause(this.#clock, call?.timeoutMs ?? 30_000, call?.signal ?? new AbortController().signal);
      throw problem("timeout");
    };
    const client = {
      get: async (_: unknown, __: unknown, call?: CallOptions) => {
        await reach(call);
        if (!this.lease) throw problem("not-found");
        return structuredClone(this.lease);
      },
      create: async (_: unknown, lease: Lease, call?: CallOptions) => {
        await reach(call);
        if (this.lease) throw problem("already-exists");
        return this.#store(lease);
      },
      update: async (_: unknown, lease: Stored<Lease>, call?: CallOptions) => {
        await reach(call);
        if (!this.lease) throw problem("not-found");
        if (lease.metadata.resourceVersion !== this.lease.metadata.resourceVersion) throw problem("conflict");
        return this.#store(lease);
      },
    };
    return client as unknown as LeaseLockOptions["client"];
  }

  #store(lease: Lease): Stored<Lease> {
    this.#version += 1;
    const metadata = { ...lease.metadata, resourceVersion: String(this.#version) };
    this.lease = structuredClone({ ...lease, metadata }) as Stored<Lease>;
    return structuredClone(this.lease);
  }
}

const problem = (code: KubernetesErrorCode) => new KubernetesError(code, { operation: "scripted", message: code });

function candidates() {
  const clock = new FakeClock();
  const server = new LeaseServer(clock);
  const leading = new Set<string>();
  const fences = new Map<string, IsLeading>();
  const log: string[] = [];
  const stops: (() => Promise<void>)[] = [];
  const stand = (
    identity: string,
    {
      windUp = async () => undefined,
      hasEnded,
    }: { windUp?: () => Promise<void>; hasEnded?: (holder: string) => boolean } = {},
  ) => {
    const abort = new AbortController();
    const lead = async (signal: AbortSignal, isLeading: IsLeading) => {
      leading.add(identity);
      fences.set(identity, isLeading);
      assert.ok(leading.size <= 1, `two leaders: ${[...leading].join(", ")}`);
      log.push(`${identity} leads`);
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      await windUp();
      leading.delete(identity);
    };
    const client = server.clientOf(identity);
    const onLost = (why: string) => log.push(`${identity} lost: ${why}`);
    const lock = { client, namespace: "default", name: "lock", identity, hasEnded };
    const options = { ...lock, clock, random: () => 0.5, lead, onLost };
    const running = runElected(options, abort.signal);
    const stop = async () => {
      abort.abort();
      await running;
    };
    stops.push(stop);
    return { stop, abort };
  };
  return {
    clock,
    server,
    leading,
    log,
    stand,
    /** Whether a candidate may write, as it judges itself. */
    mayWrite: (identity: string) => fences.get(identity)?.() ?? false,
    async [Symbol.asyncDispose]() {
      for (const stop of stops) await stop();
    },
  };
}

describe("an election", () => {
  test("has one winner, who stays while it renews", async () => {
    await using race = candidates();
    race.stand("a");
    race.stand("b");
    await race.clock.advance(120_000);
    assert.deepEqual(race.log, ["a leads"]);
    const spec = race.server.lease?.spec;
    assert.deepEqual([spec?.holderIdentity, spec?.leaseDurationSeconds, spec?.leaseTransitions], ["a", 30, 0]);
    assert.match(`${spec?.renewTime}`, /^2030-01-01T00:0[12]:\d\d\.\d{6}Z$/);
  });

  test("goes to the next at once when the leader leaves", async () => {
    await using race = candidates();
    const a = race.stand("a");
    race.stand("b");
    await race.clock.advance(5_000);
    await a.stop();
    assert.equal(race.server.lease?.spec?.holderIdentity, undefined);
    await race.clock.advance(3_000);
    assert.deepEqual(race.log, ["a leads", "b leads"]);
    assert.equal(race.server.lease?.spec?.leaseTransitions, 1);
  });

  test("keeps a leader that winds up in office until it is done", async () => {
    await using race = candidates();
    const done = new AbortController();
    const a = race.stand("a", {
      windUp: () => new Promise((resolve) => done.signal.addEventListener("abort", () => resolve())),
    });
    race.stand("b");
    await race.clock.advance(5_000);
    a.abort.abort();
    await race.clock.advance(60_000);
    assert.deepEqual(race.log, ["a leads"]);
    done.abort();
    await race.clock.advance(5_000);
    assert.deepEqual(race.log, ["a leads", "b leads"]);
  });

  test("a leader that cannot renew stops after 25 s, before another may begin", async () => {
    await using race = candidates();
    race.stand("a");
    race.stand("b");
    await race.clock.advance(5_000);
    race.server.cutOff.add("a");
    await race.clock.advance(24_000);
    assert.deepEqual(race.log, ["a leads"]);
    await race.clock.advance(1_000);
    assert.deepEqual(race.log, ["a leads", "a lost: the Lease could not be renewed for 25000 ms"]);
    assert.equal(race.leading.size, 0);
    await race.clock.advance(10_000);
    assert.deepEqual(race.log.slice(2), ["b leads"]);
    race.server.cutOff.clear();
    await race.clock.advance(60_000);
    assert.equal(race.log.length, 3);
  });

  test("costs the API server a write every 5 s, and more only after one that failed", async () => {
    await using race = candidates();
    race.stand("a");
    await race.clock.advance(50_000);
    assert.equal(race.server.lease?.metadata.resourceVersion, "11");
    race.server.cutOff.add("a");
    await race.clock.advance(5_500);
    race.server.cutOff.clear();
    await race.clock.advance(1_000);
    assert.equal(race.server.lease?.metadata.resourceVersion, "12");
  });

  test.each([
    ["refuses connections", ["a", "b"], false],
    ["hangs", [], true],
  ])("an API server that %s for 15 s costs no office, whenever that begins", async (_, cutOff, isHanging) => {
    for (let sinceRenewalMs = 0; sinceRenewalMs <= 5_000; sinceRenewalMs += 250) {
      await using race = candidates();
      race.stand("a");
      race.stand("b");
      await race.clock.advance(20_000 + sinceRenewalMs);
      for (const each of cutOff) race.server.cutOff.add(each);
      race.server.isHanging = isHanging;
      await race.clock.advance(15_000);
      race.server.cutOff.clear();
      race.server.isHanging = false;
      await race.clock.advance(60_000);
      assert.deepEqual(race.log, ["a leads"], `begun ${sinceRenewalMs} ms after a renewal`);
    }
  });

  test("the next leader begins at least 5 s after the last could still write, whenever that was cut off", async () => {
    for (let sinceRenewalMs = 0; sinceRenewalMs <= 5_000; sinceRenewalMs += 250) {
      await using race = candidates();
      race.stand("a");
      race.stand("b");
      await race.clock.advance(20_000 + sinceRenewalMs);
      race.server.cutOff.add("a");
      let [lastWriteMs, successorMs] = [0, 0];
      while (successorMs === 0 && race.clock.monotonic() < 90_000) {
        await race.clock.advance(250);
        if (race.mayWrite("a")) lastWriteMs = race.clock.monotonic();
        if (race.mayWrite("b")) successorMs = race.clock.monotonic();
      }
      assert.ok(
        successorMs - lastWriteMs >= 5_000,
        `${successorMs} - ${lastWriteMs}, cut off after ${sinceRenewalMs} ms`,
      );
    }
  });

  test.each([
    ["before its answer is there", false],
    ["though the answer never comes", true],
  ])("a Lease that is granted after the signal to stop is given back, %s", async (_, isAnswerLost) => {
    const [clock, abort] = [new FakeClock(), new AbortController()];
    const server = new LeaseServer(clock);
    const client = server.clientOf("a");
    const late: typeof client = {
      ...client,
      async create(resource, object, options) {
        const granted = await client.create(resource, object, options);
        abort.abort();
        if (isAnswerLost) throw problem("canceled");
        return granted;
      },
    };
    const lead = async () => assert.fail("it leads");
    await runElected({ client: late, namespace: "default", name: "lock", identity: "a", clock, lead }, abort.signal);
    assert.ok(server.lease);
    assert.equal(server.lease.spec?.holderIdentity, undefined);
  });

  test("a leader that stops gives its Lease back though the answer to its last renewal was lost", async () => {
    await using race = candidates();
    const a = race.stand("a");
    await race.clock.advance(5_000);
    const { lease } = race.server;
    assert.ok(lease);
    await race.server.clientOf("a").update({} as never, lease);
    await a.stop();
    assert.equal(race.server.lease?.spec?.holderIdentity, undefined);
  });

  test("does not trust the holder's clock, only what it sees itself", async () => {
    await using race = candidates();
    const old = "1999-01-01T00:00:00.000000Z";
    await race.server.clientOf("x").create({} as never, {
      metadata: { namespace: "default", name: "lock" },
      spec: { holderIdentity: "x", leaseDurationSeconds: 15, renewTime: old, acquireTime: old },
    });
    race.stand("a");
    await race.clock.advance(14_000);
    assert.deepEqual(race.log, []);
    await race.clock.advance(4_000);
    assert.deepEqual(race.log, ["a leads"]);
  });

  test("a Lease whose holder has certainly ended is taken at once, and no other", async () => {
    await using race = candidates();
    const held = {
      metadata: { namespace: "default", name: "lock" },
      spec: { holderIdentity: "x", leaseDurationSeconds: 30 },
    };
    await race.server.clientOf("x").create({} as never, held);
    race.stand("a");
    await race.clock.advance(10_000);
    assert.deepEqual(race.log, []);
    race.stand("b", { hasEnded: (holder) => holder === "x" });
    await race.clock.advance(0);
    assert.deepEqual(race.log, ["b leads"]);
    assert.equal(race.server.lease?.spec?.leaseTransitions, 1);
  });

  test("a leader steps down at once when it sees another in its place", async () => {
    await using race = candidates();
    race.stand("a");
    await race.clock.advance(4_000);
    const { lease } = race.server;
    assert.ok(lease);
    await race.server.clientOf("x").update({} as never, { ...lease, spec: { ...lease.spec, holderIdentity: "x" } });
    await race.clock.advance(3_000);
    assert.deepEqual(race.log, ["a leads", "a lost: the Lease is held by 'x'"]);
  });

  test("an edit of the Lease by another client does not end the leadership", async () => {
    await using race = candidates();
    race.stand("a");
    await race.clock.advance(5_000);
    const { lease } = race.server;
    assert.ok(lease);
    await race.server.clientOf("kubectl").update({} as never, lease);
    await race.clock.advance(30_000);
    assert.deepEqual(race.log, ["a leads"]);
  });
});

describe("a leader may write", () => {
  test("while it renews", async () => {
    await using race = candidates();
    race.stand("a");
    race.stand("b");
    await race.clock.advance(60_000);
    assert.deepEqual([race.mayWrite("a"), race.mayWrite("b")], [true, false]);
  });

  test("for 25 s after its last renewal, and not a millisecond longer", async () => {
    await using race = candidates();
    race.stand("a");
    await race.clock.advance(5_000);
    race.server.cutOff.add("a");
    await race.clock.advance(24_999);
    assert.ok(race.mayWrite("a"));
    race.clock.freeze(1);
    assert.ok(!race.mayWrite("a"));
  });

  test("no more when it was frozen and wakes up, before any timer or answer tells it so", async () => {
    await using race = candidates();
    race.stand("a");
    await race.clock.advance(5_000);
    assert.ok(race.mayWrite("a"));
    race.clock.freeze(25_000);
    assert.ok(!race.mayWrite("a"));
    assert.deepEqual(race.log, ["a leads"], "it has not heard of it yet");
  });

  test("while it winds up, and no more once it has given the Lease back", async () => {
    await using race = candidates();
    const seen: boolean[] = [];
    const a = race.stand("a", { windUp: async () => void seen.push(race.mayWrite("a")) });
    await race.clock.advance(5_000);
    await a.stop();
    assert.deepEqual([...seen, race.mayWrite("a")], [true, false]);
  });

  test("no more at once when it sees another in its place", async () => {
    await using race = candidates();
    race.stand("a");
    await race.clock.advance(4_000);
    const { lease } = race.server;
    assert.ok(lease);
    await race.server.clientOf("x").update({} as never, { ...lease, spec: { ...lease.spec, holderIdentity: "x" } });
    await race.clock.advance(3_000);
    assert.ok(!race.mayWrite("a"));
  });
});
