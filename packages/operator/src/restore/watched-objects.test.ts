import assert from "node:assert/strict";
import type { InformerSet } from "@etcd-operator/controller-runtime";
import type { Indexer, KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { Cache, type Change } from "@etcd-operator/kubernetes-client/watch/cache.ts";
import { aRestore, aRestoreSeen } from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { beforeEach, describe, test } from "vitest";
import { sourcesOf, type WatchedObjects, watchObjects } from "./watched-objects.ts";

/** An informer that gets the objects of the test. */
class ToldInformer {
  readonly cache: Cache<KubeObject, string>;
  #handler: (change: Change<KubeObject>) => void = () => undefined;

  constructor(indexers: Readonly<Record<string, Indexer<KubeObject>>> = {}) {
    this.cache = new Cache(indexers);
  }

  onChange(handler: (change: Change<KubeObject>) => void): () => void {
    this.#handler = handler;
    return () => undefined;
  }

  tell(object: Stored<KubeObject>): void {
    for (const change of this.cache.apply({ type: "MODIFIED", object })) this.#handler(change);
  }
}

type Restore = ReturnType<typeof aRestore>;

let informers: ToldInformer[];
let woken: string[];
beforeEach(() => {
  [informers, woken] = [[], []];
  const add = (_: unknown, { indexers }: { indexers?: Readonly<Record<string, Indexer<KubeObject>>> } = {}) => {
    informers.push(new ToldInformer(indexers));
    return informers.at(-1);
  };
  const watched: WatchedObjects = watchObjects({ add: add as unknown as InformerSet["add"] });
  for (const source of sourcesOf(watched)) source((key) => woken.push(key));
});

const named = (name: string, given: Parameters<typeof aRestore>[0] = {}): Restore =>
  aRestore({ ...given, metadata: { name, uid: name, ...given.metadata } });
const over = (name: string) => named(name, { status: { phase: "Failed" }, metadata: { finalizers: [] } });

/** Whom a change of the second wakes, when the first are there. */
function wokenBy(change: Stored<KubeObject>, restores: readonly Restore[], informer = 0): readonly string[] {
  for (const restore of restores) informers[0]?.tell(restore);
  woken.length = 0;
  informers[informer]?.tell(change);
  return [...woken].sort();
}

describe("a restore is woken", () => {
  test("by its own changes, also when it is over: its spec may have been edited", () => {
    assert.deepEqual(wokenBy(over("first"), []), ["prod/first"]);
  });

  test("by those of another of the same cluster, which it may wait for", () => {
    const elsewhere = named("elsewhere", { spec: { etcdCluster: { name: "other" } } });
    assert.deepEqual(wokenBy(over("first"), [named("second"), elsewhere]), ["prod/first", "prod/second"]);
  });

  test("by those of its cluster", () => {
    const { cluster } = aRestoreSeen();
    assert.deepEqual(wokenBy(cluster ?? assert.fail(), [named("first")], 1), ["prod/first"]);
  });

  test("but not by those of others or of the cluster once it is over and nothing of it is left", () => {
    const { cluster } = aRestoreSeen();
    const unreleased = named("unreleased", { status: { phase: "Failed" } });
    const restores = [over("first"), over("second"), unreleased];
    assert.deepEqual(wokenBy(named("third"), restores), ["prod/third", "prod/unreleased"]);
    assert.deepEqual(wokenBy(cluster ?? assert.fail(), restores, 1), ["prod/third", "prod/unreleased"]);
  });
});
