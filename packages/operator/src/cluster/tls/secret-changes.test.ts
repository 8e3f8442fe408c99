import assert from "node:assert/strict";
import { KubernetesError, keyOf, type Stored } from "@etcd-operator/kubernetes-client";
import type { WatchEvent } from "@etcd-operator/kubernetes-client/watch/watch-event.ts";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { beforeEach, describe, test } from "vitest";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { secretChanges } from "./secret-changes.ts";

// biome-ignore lint/correctness/useYield: the API server refuses before it sends anything.
async function* forbidden(): AsyncGenerator<WatchEvent<never>> {
  throw new KubernetesError("forbidden", { operation: "watch of secrets", message: "no" });
}

const withSecrets = (name: string) => anEtcdCluster({ TLS: STATIC_TLS }, { name }) as Stored<EtcdCluster>;

describe("changes of Secrets", () => {
  let clock: FakeClock;
  let clusters: readonly Stored<EtcdCluster>[];
  let changed: Set<string>;
  let isAway: boolean;
  let asked: string[];
  let woken: string[];
  let watched: () => AsyncGenerator<WatchEvent<never>>;

  beforeEach(() => {
    clock = new FakeClock();
    [clusters, changed, isAway, asked, woken] = [[], new Set(), false, [], []];
    watched = forbidden;
  });

  const begin = () =>
    secretChanges({
      clusters: () => clusters,
      async haveChanged({ metadata }) {
        const key = keyOf(metadata);
        asked.push(key);
        if (isAway) throw new Error("no answer");
        return changed.delete(key);
      },
      client: { watch: () => watched() },
      clock,
    })((key) => woken.push(key));

  test("wake the clusters that name them, within a minute", async () => {
    clusters = [withSecrets("a"), withSecrets("b")];
    begin();
    changed.add("prod/b");
    await clock.advance(59_999);
    assert.deepEqual([asked, woken], [["prod/a"], []]);
    await clock.advance(1);
    assert.deepEqual([asked, woken], [["prod/a", "prod/b"], ["prod/b"]]);
    changed.add("prod/a");
    await clock.advance(60_000);
    assert.deepEqual(woken, ["prod/b", "prod/a"]);
  });

  test("of many clusters are not checked more often than the API server can bear", async () => {
    clusters = Array.from({ length: 1_000 }, (_, at) => withSecrets(`c${at}`));
    begin();
    await clock.advance(18_000);
    assert.equal(asked.length, 100);
  });

  test("are not checked while no cluster names one, and soon once a cluster does", async () => {
    clusters = [anEtcdCluster({}, { name: "plain" }) as Stored<EtcdCluster>];
    begin();
    await clock.advance(60_000);
    clusters = [withSecrets("a")];
    await clock.advance(120_000);
    assert.deepEqual(asked, ["prod/a"]);
  });

  test("are found later if the API server does not answer", async () => {
    clusters = [withSecrets("a")];
    begin();
    isAway = true;
    changed.add("prod/a");
    await clock.advance(60_000);
    assert.deepEqual(woken, []);
    isAway = false;
    await clock.advance(60_000);
    assert.deepEqual(woken, ["prod/a"]);
  });

  test("wake the clusters that name them within seconds where they may be watched, changes of one moment together", async () => {
    clusters = [withSecrets("a")];
    const secret = (resourceVersion: string) =>
      ({
        type: "MODIFIED",
        object: { metadata: { name: "s", uid: "u", resourceVersion } },
      }) as unknown as WatchEvent<never>;
    let change: () => void = () => undefined;
    const happens = new Promise<void>((resolve) => {
      change = resolve;
    });
    watched = async function* () {
      yield secret("1");
      await happens;
      yield secret("2");
      await new Promise(() => undefined);
    };
    const end = begin();
    await clock.advance(1_000);
    assert.deepEqual(asked, []);
    changed.add("prod/a");
    change();
    await clock.advance(0);
    await clock.advance(2_000);
    assert.deepEqual([asked, woken], [["prod/a"], ["prod/a"]]);
    end();
  });

  test("are not asked for hotly where the operator may not watch them", async () => {
    clusters = [withSecrets("a")];
    let watches = 0;
    watched = () => {
      watches += 1;
      return forbidden();
    };
    begin();
    await clock.advance(540_000);
    assert.equal(watches, 3, "each of the three Secrets once");
    await clock.advance(120_000);
    assert.equal(watches, 6);
  });

  test("wake no key any more when it has ended", async () => {
    clusters = [withSecrets("a")];
    const end = begin();
    end();
    await clock.advance(600_000);
    assert.deepEqual([asked, clock.pendingMs], [[], []]);
  });
});
