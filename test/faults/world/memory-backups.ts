import { ObjectStoreError } from "@etcd-operator/object-store";
import type { Outside } from "@etcd-operator/operator/restore/start-work.ts";
import { cloudSettings } from "@etcd-operator/operator/transfer/store/cloud-settings.ts";
import type { OpenBackupStore } from "@etcd-operator/operator/transfer/store/open-backup-store.ts";
import { pathIn, type StoreBlock, storeBlockOf } from "@etcd-operator/operator/transfer/store/store-block.ts";
import { openVolume } from "@etcd-operator/operator/transfer/volume/open-volume.ts";
import type { WorkerReach } from "@etcd-operator/operator/transfer/worker-reach.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import type { Life } from "../transport/life.ts";
import { faultyStore } from "../transport/store-transport.ts";
import type { NumberedWrites } from "../transport/writes.ts";
import type { Machine } from "./world.ts";

/** Buckets that all operators of a world share. */
export class MemoryBackups {
  readonly store = new MemoryStore();
  /** Asked before a store is opened; throws what that is to fail with. */
  beforeOpen: (block: StoreBlock) => void = () => undefined;

  /** Whether a volume is opened by a worker's pod, as a real one is; else it is there at once, like a bucket. */
  hasWorkers = false;

  /** How one operator opens them. */
  openerFor(writes: NumberedWrites, life: Life, { isServing }: Pick<Machine, "isServing"> = {}): Outside["openStore"] {
    return async (deps, request, signal): Promise<OpenBackupStore> => {
      const { client, trust } = deps;
      const block = storeBlockOf(request.spec);
      // As with real ones, its opener has read the Secret, and could leak it.
      if (block.type !== "Volume") await cloudSettings({ client, trust }, request.namespace, block, signal);
      this.beforeOpen(block);
      const opened = {
        store: faultyStore(this.store, writes, life),
        close: async () => undefined,
      };
      const named = { key: block.key, pathOf: (key: string) => pathIn(block, key) };
      if (block.type !== "Volume" || !this.hasWorkers || !isServing) return { ...opened, ...named };
      const reach: WorkerReach = {
        answers: async ({ address }) => isServing(address),
        open: async (claimName, { address }) => {
          if (!isServing(address)) throw notServed(`open volume '${claimName}'`);
          return { ...opened, takeDirectly: async () => "unreachable" };
        },
      };
      return { ...(await openVolume(deps, { ...request, claimName: block.block.claimName }, signal, reach)), ...named };
    };
  }
}

function notServed(operation: string): ObjectStoreError {
  return new ObjectStoreError("unavailable", { operation, message: "connect ECONNREFUSED" });
}
