import type { Asked } from "../world/in-process-carrier.ts";

/** What an informer asks for to fill its cache. */
export interface CacheRequest {
  readonly verb: "list" | "watch";
  /** Such as "pods". */
  readonly plural: string;
  readonly query: URLSearchParams;
}

const COLLECTION = /^\/api(?:s\/[^/]+)?\/[^/]+\/(?:namespaces\/[^/]+\/)?([^/]+)$/;
/** Informers follow all objects of a kind, or all that bear the operator's label. */
const OF_INFORMERS: ReadonlySet<string | null> = new Set([null, "app=etcd"]);

/**
 * The request of an informer; undefined for everything else. A client reads one object by its name, or lists what bears
 * the labels of one cluster, because a cache is not good enough: those reads go through a majority of the store, and no
 * view is wrong there.
 */
export function cacheRequestOf({ method, path }: Pick<Asked, "method" | "path">): CacheRequest | undefined {
  const [place = "", search = ""] = path.split("?");
  const plural = COLLECTION.exec(place)?.[1];
  const query = new URLSearchParams(search);
  if (method !== "GET" || plural === undefined || !OF_INFORMERS.has(query.get("labelSelector"))) return undefined;
  return { verb: query.get("watch") === "true" ? "watch" : "list", plural, query };
}

/** The same request with another query. */
export function withQuery(asked: Asked, query: URLSearchParams): Asked {
  return { ...asked, path: `${asked.path.split("?")[0]}?${query}` };
}
