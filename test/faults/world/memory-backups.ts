import { ObjectStoreError } from "../../../src/objectstore/object-store-error.ts";
import type { Outside } from "../../../src/restore/start-work.ts";
import { cloudSettings } from "../../../src/transfer/cloud-settings.ts";
import type { OpenBackupStore } from "../../../src/transfer/open-backup-store.ts";
import { openVolume } from "../../../src/transfer/open-volume.ts";
import { pathIn, type StoreBlock, storeBlockOf } from "../../../src/transfer/store-block.ts";
import type { WorkerReach } from "../../../src/transfer/worker-reach.ts";
import { MemoryStore } from "../../support/objectstore/memory-store.ts";
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
    return async (deps, wish, signal): Promise<OpenBackupStore> => {
      const { client, trust } = deps;
      const block = storeBlockOf(wish.spec);
      // As with real ones, whoever opens it has read its Secret, and could give it away.
      if (block.type !== "Volume") await cloudSettings({ client, trust }, wish.namespace, block, signal);
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
      return { ...(await openVolume(deps, { ...wish, claimName: block.block.claimName }, signal, reach)), ...named };
    };
  }
}

function notServed(operation: string): ObjectStoreError {
  return new ObjectStoreError("unavailable", { operation, message: "connect ECONNREFUSED" });
}
