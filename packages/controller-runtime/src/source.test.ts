import assert from "node:assert/strict";
import { byLabel } from "@etcd-operator/kubernetes-client";
import { Cache, type Change } from "@etcd-operator/kubernetes-client/watch/cache.ts";
import { configMap } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import type { ConfigMap } from "kubernetes-types/core/v1.d.ts";
import { beforeEach, describe, test } from "vitest";
import { countObjects } from "./count-objects.ts";
import { fromInformer } from "./source.ts";

const labelled = (version: string, cluster: string, generation = 1) =>
  configMap("pod", version, { labels: { cluster }, generation });

let cache: Cache<ConfigMap>;
let handlers: Set<(change: Change<ConfigMap>) => void>;
const informer = {
  onChange(handler: (change: Change<ConfigMap>) => void) {
    handlers.add(handler);
    return () => handlers.delete(handler);
  },
};

beforeEach(() => {
  cache = new Cache<ConfigMap>();
  handlers = new Set();
});

function tell(changes: Change<ConfigMap>[]): void {
  for (const change of changes) for (const handler of handlers) handler(change);
}

const put = (object: ReturnType<typeof labelled>) => tell(cache.apply({ type: "MODIFIED", object }));

describe("an informer as a source", () => {
  test("wakes the key that an object belongs to, on every change", () => {
    const keys: string[] = [];
    const end = fromInformer(informer, byLabel("cluster"))((key) => keys.push(key));
    tell(cache.replace([labelled("1", "a")], "1"));
    put(labelled("2", "a"));
    tell(cache.apply({ type: "DELETED", object: labelled("3", "a") }));
    assert.deepEqual(keys, ["default/a", "default/a", "default/a"]);
    end();
    put(labelled("4", "a"));
    assert.equal(keys.length, 3);
  });

  test("wakes both keys when an object moves from one to the other", () => {
    tell(cache.replace([labelled("1", "a")], "1"));
    const keys: string[] = [];
    fromInformer(informer, byLabel("cluster"))((key) => keys.push(key));
    put(labelled("2", "b"));
    assert.deepEqual(keys, ["default/a", "default/b"]);
  });
});

test("objects are counted as they come, change and go, in or out of scope", () => {
  const counts = { total: 0, created: 0, deleted: 0, modified: 0 };
  const isOurs = ({ metadata }: ReturnType<typeof labelled>) => metadata.labels?.cluster === "ours";
  countObjects(informer, isOurs, {
    total: (objects) => {
      counts.total = objects;
    },
    created: () => (counts.created += 1),
    deleted: () => (counts.deleted += 1),
    modified: () => (counts.modified += 1),
  });
  tell(cache.replace([], "1"));
  put(labelled("2", "others"));
  assert.deepEqual(counts, { total: 0, created: 0, deleted: 0, modified: 0 });
  put(labelled("3", "ours"));
  assert.deepEqual(counts, { total: 1, created: 1, deleted: 0, modified: 0 });
  put(labelled("4", "ours"));
  assert.equal(counts.modified, 0, "a status is no new spec");
  put(labelled("5", "ours", 2));
  assert.equal(counts.modified, 1);
  put(labelled("6", "others", 2));
  assert.deepEqual(counts, { total: 0, created: 1, deleted: 1, modified: 1 });
  tell(cache.apply({ type: "DELETED", object: labelled("7", "others", 2) }));
  assert.equal(counts.deleted, 1);
});
