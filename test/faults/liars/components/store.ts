import type { ObjectStore, StoreTuning } from "@etcd-operator/object-store";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { httpLiar, type Truth } from "../http-liar.ts";
import { type HttpLie, httpLies } from "../lies/http.ts";
import type { Component, Read } from "../play.ts";

export const KEY = "backups/key";
export const LARGE_KEY = "backups/large";
export const CONTENT = "hello";

/** How patient a store is in a plan; nothing is tried again, as that would only be the same lie. */
const TUNING: StoreTuning = { attempts: 1, firstRetryMs: 1, partBytes: 5 << 20 };
/** Two parts, the second of which is small. */
export const TWO_PARTS = (5 << 20) + 5;

const lies = httpLies({
  unavailable: ["unavailable", "unknown", "corrupt"],
  refused: ["access-denied", "bad-credentials", "unavailable"],
  tooMuch: ["corrupt", "unavailable", "unknown"],
  redirected: ["invalid", "unknown", "bad-credentials", "unavailable"],
});

const calls: Readonly<Record<string, (store: ObjectStore) => Promise<unknown>>> = {
  put: (store) => store.put(KEY, bytesOf([CONTENT])),
  "put-in-parts": (store) => store.put(LARGE_KEY, bytesOf([Buffer.alloc(TWO_PARTS)])),
  get: (store) => taken(store.get(KEY)),
  "get-range": (store) => taken(store.get(KEY, { offset: 1, length: 3 })),
  list: (store) => taken(store.list("backups/")),
  stat: (store) => store.stat(KEY),
  delete: (store) => store.delete(KEY),
};

interface StoreParts {
  readonly name: string;
  readonly truth: Truth;
  readonly open: (address: string, tuning: StoreTuning) => ObjectStore | Promise<ObjectStore>;
  /** Which of the calls are lied to, and what is special about that. */
  readonly reads: Readonly<Record<string, Read & { readonly call: string }>>;
}

/** A store whose server lies about some of what it is asked for. */
export function storeComponent({ name, truth, open, reads }: StoreParts): Component {
  return {
    name,
    reads,
    lies,
    serve: (lying) => httpLiar(truth, lying && { read: lying.read, lie: lying.lie as HttpLie }),
    async connect(address, idleTimeoutMs) {
      const store = await open(address, { ...TUNING, idleTimeoutMs });
      return {
        ask: async (read) => calls[reads[read]?.call ?? read]?.(store),
        close: () => store.close(),
      };
    },
    codeOf: (error) => (error instanceof ObjectStoreError ? error.code : undefined),
  };
}

async function* bytesOf(chunks: readonly (string | Buffer)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

/** Reads to the end, and keeps nothing of it. */
async function taken(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of items) count += 1;
  return count;
}
