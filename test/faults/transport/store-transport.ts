import type { ObjectStore } from "../../../src/objectstore/object-store.ts";
import { ObjectStoreError } from "../../../src/objectstore/object-store-error.ts";
import { applyFault, type Words } from "./apply-fault.ts";
import type { Life } from "./life.ts";
import type { NumberedWrites } from "./writes.ts";

/** Between the operator and a store of backups: counts what is put and deleted, and does to one of them what the plan says. */
export function faultyStore(store: ObjectStore, writes: NumberedWrites, life: Life): ObjectStore {
  const written = async <Answer>(what: string, send: () => Promise<Answer>): Promise<Answer> => {
    life.signal.throwIfAborted();
    const fault = writes.next(what);
    return life.awaited(fault ? applyFault(fault, wordsOf(what, send), life) : send());
  };
  return {
    description: store.description,
    put(key, source, options) {
      const again = repeatable(source);
      return written("store put", () => store.put(key, again(), options));
    },
    delete: (key, options) => written("store delete", () => store.delete(key, options)),
    get: (key, options) => store.get(key, options),
    list: (prefix, options) => store.list(prefix, options),
    stat: (key, options) => life.awaited(store.stat(key, options)),
    close: () => store.close(),
  };
}

/** Whoever sends something twice has kept it. */
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

function wordsOf<Answer>(operation: string, send: () => Promise<Answer>): Words<Answer> {
  const refused = (message: string) => new ObjectStoreError("unavailable", { operation, message });
  return {
    send,
    refuse: async (fault) => {
      throw refused(`the store says ${fault}`);
    },
    // A store's client gives up by itself after a while.
    silence: () => new Promise((_, reject) => setTimeout(() => reject(refused("it did not answer")), 30_000)),
  };
}
