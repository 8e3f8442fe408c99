import type { StoredObject } from "./object-store.ts";
import { ObjectStoreError } from "./object-store-error.ts";

/** A part of a list; without `next` it is the last. */
export interface ListedPage {
  readonly objects: Iterable<StoredObject>;
  /** Where the next page begins. */
  readonly next: string | undefined;
}

const MOST_OBJECTS = 100_000;
const MOST_PAGES = 2_000;
const MOST_KEY_BYTES = 32 << 20;
/** Spent waiting for the server; what is done with the objects meanwhile does not count. */
const MOST_WAITING_MS = 15 * 60_000;

/**
 * All objects under a prefix, page by page. A server may say for ever that there is more: so there is an end to
 * objects, pages, bytes and time, far behind that of any store of backups.
 */
export async function* listed(
  operation: string,
  prefix: string,
  pageAfter: (place: string | undefined) => Promise<ListedPage>,
): AsyncGenerator<StoredObject> {
  const seen = { objects: 0, pages: 0, keyBytes: 0, waitedMs: 0 };
  let place: string | undefined;
  do {
    const askedAt = performance.now();
    const { objects, next } = await pageAfter(place);
    seen.pages += 1;
    seen.waitedMs += performance.now() - askedAt;
    if (next !== undefined && next === place) throw unlike(operation, "it repeats the same page without end");
    for (const object of objects) {
      seen.objects += 1;
      seen.keyBytes += object.key.length;
      const limit = passed(seen);
      if (limit) throw unlike(operation, limit);
      if (!object.key.startsWith(prefix)) throw unlike(operation, "it lists objects that were not asked for");
      yield object;
    }
    place = next;
    const limit = place !== undefined && passed(seen);
    if (limit) throw unlike(operation, limit);
  } while (place !== undefined);
}

interface Seen {
  readonly objects: number;
  readonly pages: number;
  readonly keyBytes: number;
  readonly waitedMs: number;
}

function passed({ objects, pages, keyBytes, waitedMs }: Seen): string | undefined {
  if (objects > MOST_OBJECTS || keyBytes > MOST_KEY_BYTES) {
    return `it lists more than ${MOST_OBJECTS} objects, or names of more than ${MOST_KEY_BYTES} bytes`;
  }
  if (pages >= MOST_PAGES) return `its list has more than ${MOST_PAGES} pages`;
  return waitedMs > MOST_WAITING_MS ? `its list takes longer than ${MOST_WAITING_MS / 60_000} minutes` : undefined;
}

function unlike(operation: string, how: string): ObjectStoreError {
  const message = `the server's list is not usable: ${how}. Choose a path with fewer objects, or check the server`;
  return new ObjectStoreError("invalid", { operation, message });
}
