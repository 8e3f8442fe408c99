import assert from "node:assert/strict";
import { HOUR_MS, NOW_MS } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { beforeEach, describe, test } from "vitest";
import { metadataKey, metadataText, type SnapshotMetadata } from "../../transfer/snapshot/snapshot-metadata.ts";
import { periodicKey } from "./periodic-keys.ts";
import { type PruneRequest, prune } from "./prune.ts";

const KEY = "etcd/nightly";
const OURS = { namespace: "prod", name: "nightly", uid: "uid-1" };
const { signal } = new AbortController();
let store: MemoryStore;
beforeEach(() => {
  store = new MemoryStore();
});

const metadataBy = (backup: SnapshotMetadata["backup"]) =>
  Buffer.from(
    metadataText({
      ...{ clusterID: "c", etcdVersion: "3", revision: 1, sizeBytes: 1, sha256: "" },
      takenAt: "",
      verifiedAt: "",
      backup,
    }),
  );

/** A verified backup of a revision, so many hours old. */
function given(revision: number, hours: number, by: SnapshotMetadata["backup"] = OURS, key = KEY): string {
  const name = periodicKey(key, revision, NOW_MS - hours * HOUR_MS);
  store.objects.set(name, Buffer.from("snapshot"));
  store.objects.set(metadataKey(name), metadataBy(by));
  return name;
}

test("what an operator may not decide any more stays, and that is reported", async () => {
  const keys = [given(3, 1), given(2, 2), given(1, 3)];
  const unchanged = async () => {
    throw new Error("EtcdBackup nightly belongs to another operator now");
  };
  const { removed, failure } = await pruned({ unchanged });
  assert.deepEqual(
    [removed, failure],
    [[], "Could not remove old backups: EtcdBackup nightly belongs to another operator now"],
  );
  assert.ok(keys.every((key) => store.objects.has(key)));
});

function pruned(request: Partial<PruneRequest> = {}) {
  const retention = { maxBackups: 2, maxAgeMs: 0 };
  const usual = {
    store,
    key: KEY,
    retention,
    backup: OURS,
    nowMs: NOW_MS,
    fence: () => undefined,
    unchanged: async () => undefined,
  };
  return prune({ ...usual, pathOf: (key) => `bucket/${key}`, ...request }, signal);
}

const keys = () => [...store.objects.keys()].sort();

describe("old backups", () => {
  test("are deleted with their metadata, and reported by their paths", async () => {
    const [first, second, third] = [given(9, 3), given(10, 2), given(100, 1)];
    assert.deepEqual(await pruned(), { removed: [`bucket/${first}`] });
    assert.deepEqual(keys(), [second, metadataKey(second), third, metadataKey(third)].sort());
  });

  test("go by number and not by spelling, over more than a thousand of them", async () => {
    const all = Array.from({ length: 1_100 }, (_, index) => given(index + 1, 1_100 - index));
    const { removed } = await pruned({ retention: { maxBackups: 3, maxAgeMs: 0 } });
    assert.equal(removed.length, 1_097);
    const kept = all.slice(-3).flatMap((key) => [key, metadataKey(key)]);
    assert.deepEqual(keys(), kept.sort());
  });

  test("cost one list and nothing else while there are not too many", async () => {
    given(1, 2);
    given(2, 1);
    assert.deepEqual(await pruned(), { removed: [] });
    assert.deepEqual(store.calls, [`list ${KEY}_v`]);
  });

  test("of an EtcdBackup of the same name that is gone count as ours", async () => {
    const first = given(1, 3, { ...OURS, uid: "uid-0" });
    given(2, 2);
    given(3, 1);
    assert.deepEqual((await pruned()).removed, [`bucket/${first}`]);
  });
});

describe("what is not ours stays, and does not count", () => {
  test.each<[string, () => string]>([
    [
      "a key without metadata, as coreos/etcd-operator left it",
      () => {
        const key = periodicKey(KEY, 1, NOW_MS - 9 * HOUR_MS);
        store.objects.set(key, Buffer.from("x"));
        return key;
      },
    ],
    ["a backup that another EtcdBackup took to the same place", () => given(1, 9, { ...OURS, name: "weekly" })],
    ["a backup that one of another namespace took", () => given(1, 9, { ...OURS, namespace: "test" })],
    ["a backup under a longer path", () => given(1, 9, OURS, `${KEY}_v2`)],
    [
      "a backup whose metadata cannot be read",
      () => {
        const key = given(1, 9);
        store.objects.set(metadataKey(key), Buffer.from("{}"));
        return key;
      },
    ],
    [
      "an object whose name is almost right",
      () => {
        const key = `${KEY}_v1_2029-01-01-00:00:00.bak`;
        store.objects.set(key, Buffer.from("x"));
        store.objects.set(metadataKey(key), metadataBy(OURS));
        return key;
      },
    ],
  ])("%s", async (_, put) => {
    const key = put();
    const [first, second, third] = [given(7, 3), given(8, 2), given(9, 1)];
    assert.deepEqual((await pruned()).removed, [`bucket/${first}`]);
    assert.ok(store.objects.has(key));
    assert.ok(store.objects.has(second) && store.objects.has(third));
  });
});

describe("half-way", () => {
  test("a removal that was cut leaves nothing that looks like a backup, and is finished by the next", async () => {
    const [first] = [given(1, 3), given(2, 2), given(3, 1)];
    store.beforeCall = (call) => {
      if (call === `delete ${metadataKey(first)}`) throw new Error("503");
    };
    const cut = await pruned();
    assert.deepEqual(cut, { removed: [`bucket/${first}`], failure: "Could not remove old backups: 503" });
    assert.deepEqual([store.objects.has(first), store.objects.has(metadataKey(first))], [false, true]);
    store.beforeCall = () => undefined;
    assert.deepEqual(await pruned(), { removed: [] });
    assert.equal(store.objects.has(metadataKey(first)), false);
  });

  test("a removal that failed once is finished at once, for the next backup may be a day away", async () => {
    const [first] = [given(1, 3), given(2, 2), given(3, 1)];
    let failures = 0;
    store.beforeCall = (call) => {
      if (call === `delete ${metadataKey(first)}` && failures++ === 0) throw new Error("503");
    };
    assert.deepEqual(await pruned(), { removed: [`bucket/${first}`] });
    assert.deepEqual(
      keys().filter((key) => key.startsWith(first)),
      [],
    );
  });

  test("metadata whose object the list has missed is left alone", async () => {
    const name = given(5, 1);
    const object = store.objects.get(name);
    store.objects.delete(name);
    store.beforeCall = (call) => {
      if (call === `stat ${name}` && object) store.objects.set(name, object);
    };
    await pruned();
    assert.deepEqual(keys(), [name, metadataKey(name)]);
  });

  test("what cannot be removed is reported, and is no reason to throw", async () => {
    for (const revision of [1, 2, 3]) given(revision, 4 - revision);
    store.beforeCall = (call) => {
      if (call.startsWith("delete")) throw new Error("access denied");
    };
    assert.deepEqual(await pruned(), { removed: [], failure: "Could not remove old backups: access denied" });
  });

  test("nothing is removed by an operator that does not lead any more", async () => {
    for (const revision of [1, 2, 3]) given(revision, 4 - revision);
    const { removed, failure } = await pruned({ fence: () => assert.fail("not leading") });
    assert.deepEqual([removed, keys().length], [[], 6]);
    assert.match(failure ?? "", /not leading/);
  });
});
