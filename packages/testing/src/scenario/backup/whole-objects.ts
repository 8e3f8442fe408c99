import { setTimeout as pause } from "node:timers/promises";
import { SnapshotCheck } from "@etcd-operator/etcd-client";
import type { ObjectStore, StoredObject } from "@etcd-operator/object-store";

/** Reads repeatedly what others see under a key; `stop` returns what was not a complete snapshot. */
export function watchWhole(store: ObjectStore, key: string): { stop(): Promise<readonly string[]> } {
  const seen = new Set<string>();
  const broken: string[] = [];
  let isOver = false;
  const look = async () => {
    for await (const object of store.list(key)) {
      const version = `${object.sizeBytes} bytes of ${object.modifiedAtMs}`;
      if (object.key !== key || seen.has(version)) continue;
      const verdict = await verdictOn(store, object);
      if (verdict !== undefined) seen.add(version);
      if (verdict !== undefined && verdict !== "ok") broken.push(`${version}: ${verdict}`);
    }
  };
  const looking = (async () => {
    while (!isOver) {
      await look().catch((error: Error) => broken.push(`the store could not be read: ${error.message}`));
      await pause(50);
    }
    await look();
  })();
  return {
    async stop() {
      isOver = true;
      await looking;
      return broken;
    },
  };
}

/** Undefined when it was replaced or removed while it was read. */
async function verdictOn(store: ObjectStore, { key, sizeBytes, modifiedAtMs }: StoredObject) {
  const check = new SnapshotCheck();
  try {
    for await (const chunk of store.get(key)) check.update(chunk);
  } catch {
    return undefined;
  }
  const now = await store.stat(key);
  if (now?.sizeBytes !== sizeBytes || now.modifiedAtMs !== modifiedAtMs) return undefined;
  return check.sizeBytes === sizeBytes ? check.verdict() : `only ${check.sizeBytes} bytes`;
}
