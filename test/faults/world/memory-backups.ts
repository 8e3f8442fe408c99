import type { Outside } from "../../../src/restore/start-work.ts";
import { cloudSettings } from "../../../src/transfer/cloud-settings.ts";
import type { OpenBackupStore } from "../../../src/transfer/open-backup-store.ts";
import { pathIn, type StoreBlock, storeBlockOf } from "../../../src/transfer/store-block.ts";
import { MemoryStore } from "../../support/objectstore/memory-store.ts";
import type { Life } from "../transport/life.ts";
import { faultyStore } from "../transport/store-transport.ts";
import type { NumberedWrites } from "../transport/writes.ts";

/** Buckets that all operators of a world share. */
export class MemoryBackups {
  readonly store = new MemoryStore();
  /** Asked before a store is opened; throws what that is to fail with. */
  beforeOpen: (block: StoreBlock) => void = () => undefined;

  /** How one operator opens them. */
  openerFor(writes: NumberedWrites, life: Life): Outside["openStore"] {
    return async ({ client, trust }, wish, signal): Promise<OpenBackupStore> => {
      const block = storeBlockOf(wish.spec);
      // As with real ones, whoever opens it has read its Secret, and could give it away.
      if (block.type !== "Volume") await cloudSettings({ client, trust }, wish.namespace, block, signal);
      this.beforeOpen(block);
      return {
        store: faultyStore(this.store, writes, life),
        key: block.key,
        pathOf: (key) => pathIn(block, key),
        close: async () => undefined,
      };
    };
  }
}
