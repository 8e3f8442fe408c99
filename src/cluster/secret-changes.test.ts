import assert from "node:assert/strict";
import { beforeEach, describe, test } from "vitest";
import { anEtcdCluster, STATIC_TLS } from "../../test/support/cluster/an-etcd-cluster.ts";
import { FakeClock } from "../../test/support/kubernetes/fake-clock.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import { keyOf, type Stored } from "../kubernetes/kube-object.ts";
import { secretChanges } from "./secret-changes.ts";

const withSecrets = (name: string) => anEtcdCluster({ TLS: STATIC_TLS }, { name }) as Stored<EtcdCluster>;

describe("changes of Secrets", () => {
  let clock: FakeClock;
  let clusters: readonly Stored<EtcdCluster>[];
  let changed: Set<string>;
  let isAway: boolean;
  let asked: string[];
  let woken: string[];

  beforeEach(() => {
    clock = new FakeClock();
    [clusters, changed, isAway, asked, woken] = [[], new Set(), false, [], []];
  });

  const begin = () =>
    secretChanges({
      clusters: () => clusters,
      async haveChanged({ metadata }) {
        const key = keyOf(metadata);
        asked.push(key);
        if (isAway) throw new Error("nobody answers");
        return changed.delete(key);
      },
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

  test("of many clusters are not looked for more often than the API server can bear", async () => {
    clusters = Array.from({ length: 1_000 }, (_, at) => withSecrets(`c${at}`));
    begin();
    await clock.advance(18_000);
    assert.equal(asked.length, 100);
  });

  test("are not looked for where a cluster names none, and soon where one comes that does", async () => {
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

  test("wake nobody any more when it has ended", async () => {
    clusters = [withSecrets("a")];
    const end = begin();
    end();
    await clock.advance(600_000);
    assert.deepEqual([asked, clock.pendingMs], [[], []]);
  });
});
