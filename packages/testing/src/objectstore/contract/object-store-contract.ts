import type { ObjectStore, StoreTuning } from "@etcd-operator/object-store";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { cancelCases } from "./cancel.cases.ts";
import { content } from "./content.ts";
import { faultCases } from "./fault.cases.ts";
import { keyCases } from "./key.cases.ts";
import { largeCases } from "./large.cases.ts";
import { listCases } from "./list.cases.ts";
import { readCases } from "./read.cases.ts";
import { refusalCases } from "./refusal.cases.ts";
import type { StoreHarness, StoreUnderTest, StoreVariation } from "./store-harness.ts";
import { writeCases } from "./write.cases.ts";

/** What the cases have to work with. */
export interface ContractContext {
  readonly harness: StoreHarness;
  /** Only inside tests. */
  readonly server: StoreUnderTest;
  /** A store that is closed when the test is over; by then every fault is removed, too. */
  open(variation?: StoreVariation, tuning?: StoreTuning): Promise<ObjectStore>;
  /** Puts an object of so many bytes and returns the key, which no other test has. */
  anObject(store: ObjectStore, sizeBytes: number, seed?: number): Promise<string>;
  aKey(name?: string): string;
}

// Long enough for a busy machine, and short enough for tests that wait for it.
const IMPATIENT: StoreTuning = { idleTimeoutMs: 5_000, attempts: 4, firstRetryMs: 10 };

/** Runs the contract of ObjectStore against one kind of store. */
export function objectStoreContract(harness: StoreHarness): void {
  const because = harness.skip === undefined ? "" : ` (skipped: ${harness.skip})`;
  describe.skipIf(harness.skip !== undefined)(`the contract of object stores, ${harness.name}${because}`, () => {
    let server: StoreUnderTest | undefined;
    beforeAll(async () => {
      server = await harness.start();
    });
    afterAll(() => server?.stop());
    const context = contextOf(harness, () => {
      if (!server) throw new Error("there is a server inside tests only");
      return server;
    });
    const groups = [writeCases, readCases, keyCases, listCases, refusalCases, cancelCases, faultCases, largeCases];
    for (const cases of groups) cases(context);
  });
}

function contextOf(harness: StoreHarness, server: () => StoreUnderTest): ContractContext {
  let keys = 0;
  const context: ContractContext = {
    harness,
    get server() {
      return server();
    },
    async open(variation = "good", tuning = {}) {
      const store = await server().open(variation, { ...IMPATIENT, ...tuning });
      onTestFinished(async () => {
        server().faults.clear();
        await store.close();
      });
      return store;
    },
    async anObject(store, sizeBytes, seed = 1) {
      const key = context.aKey();
      await store.put(key, content(sizeBytes, seed));
      return key;
    },
    aKey(name = "object") {
      keys += 1;
      return `contract/${keys}/${name}`;
    },
  };
  return context;
}
