import type { ObjectStore } from "@etcd-operator/object-store";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { applyFault, type Words } from "./apply-fault.ts";
import type { Life } from "./life.ts";
import { STORE_REFUSALS, type StoreWrite, toldOf } from "./store-refusals.ts";
import type { NumberedWrites } from "./writes.ts";

/**
 * Between the operator and a store of backups: counts what is put and deleted, and does to one of them what the plan
 * says.
 */
export function faultyStore(store: ObjectStore, writes: NumberedWrites, life: Life): ObjectStore {
  const written = async <Answer>(what: StoreWrite, send: () => Promise<Answer>): Promise<Answer> => {
    life.signal.throwIfAborted();
    const fault = writes.next(`store ${what}`);
    return life.awaited(fault ? applyFault(fault, wordsOf(what, send, life), life) : send());
  };
  return {
    description: store.description,
    put(key, source, options) {
      const again = repeatable(source);
      return written("put", () => store.put(key, again(), options));
    },
    delete: (key, options) => written("delete", () => store.delete(key, options)),
    get: (key, options) => store.get(key, options),
    list: (prefix, options) => store.list(prefix, options),
    stat: (key, options) => life.awaited(store.stat(key, options)),
    close: () => store.close(),
  };
}

/** A client that sends something twice has kept it. */
function repeatable(source: AsyncIterable<Uint8Array>): () => AsyncIterable<Uint8Array> {
  const kept: Uint8Array[] = [];
  let isAtEnd = false;
  return async function* () {
    yield* kept;
    if (isAtEnd) return;
    for await (const chunk of source) {
      kept.push(chunk);
      yield chunk;
    }
    isAtEnd = true;
  };
}

/** Until a client asks again, with its pauses; fixed here, so that a plan is the same each time. */
const PAUSE_MS = 200;
/** Five attempts, and the pauses between them. */
const ALL_ATTEMPTS_MS = 3_000;
/** A store's client stops by itself after a while. */
const SILENCE_MS = 30_000;

function wordsOf<Answer>(write: StoreWrite, send: () => Promise<Answer>, life: Life): Words<Answer> {
  const operation = `store ${write}`;
  const silent = () => new ObjectStoreError("unavailable", { operation, message: "it did not answer" });
  return {
    send,
    refuse: async (fault) => {
      const refusal = STORE_REFUSALS[fault][write];
      if (refusal.heard === "for good") throw toldOf(operation, refusal);
      await pause(refusal.heard === "once" ? PAUSE_MS : ALL_ATTEMPTS_MS);
      if (refusal.heard === "each time") throw toldOf(operation, refusal);
      life.signal.throwIfAborted();
      return send();
    },
    silence: async () => {
      await pause(SILENCE_MS);
      throw silent();
    },
  };
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
