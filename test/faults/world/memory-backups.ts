import type { Outside } from "../../../src/restore/start-work.ts";
import type { OpenBackupStore } from "../../../src/transfer/open-backup-store.ts";
import { pathIn, storeBlockOf } from "../../../src/transfer/store-block.ts";
import { MemoryStore } from "../../support/objectstore/memory-store.ts";
import type { Life } from "../transport/life.ts";
import { faultyStore } from "../transport/store-transport.ts";
import type { Writes } from "../transport/writes.ts";

/** Buckets that all operators of a world share. */
export class MemoryBackups {
  readonly store = new MemoryStore();

  /** How one operator opens them. */
  openerFor(writes: Writes, life: Life): Outside["openStore"] {
    return async (_, wish): Promise<OpenBackupStore> => {
      const block = storeBlockOf(wish.spec);
      return {
        store: faultyStore(this.store, writes, life),
        key: block.key,
        pathOf: (key) => pathIn(block, key),
        close: async () => undefined,
      };
    };
  }
}
