import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest, expired, invalid, tooLargeResourceVersion } from "../api-error.ts";
import { forbidden } from "../crd/cause.ts";
import { type ContinueToken, decodeContinue, encodeContinue } from "../storage/continue-token.ts";
import type { Entry } from "../storage/entry.ts";
import type { Selection } from "./selection.ts";

export interface Listed {
  readonly entries: readonly Entry[];
  readonly revision: bigint;
  readonly continue?: string;
  readonly remaining?: number;
}

/**
 * Lists what a selection finds. Whole lists come from the cache, which first catches up with the store unless the
 * client takes what is known (resourceVersion=0); pages and exact revisions come from the store.
 */
export async function list(api: ApiContext, selection: Selection, query: URLSearchParams): Promise<Listed> {
  const limit = limitOf(query);
  const token = query.get("continue");
  if (token) return nextPage(api, selection, limit, decodeContinue(token));
  const version = query.get("resourceVersion") ?? "";
  const revision = revisionOf(version);
  if (matchOf(query, version) === "Exact") return page(api, selection, { limit, revision });
  if (version !== "0" && limit > 0) {
    const first = await page(api, selection, { limit });
    if (first.revision < revision) throw tooLargeResourceVersion(revision, first.revision);
    return first;
  }
  return fromCache(api, selection, version, revision);
}

async function fromCache(api: ApiContext, selection: Selection, version: string, revision: bigint): Promise<Listed> {
  const { resource, prefix, matches } = selection;
  const cache = api.caches.of(resource.prefix);
  if (version === "") await cache.fresh();
  else await cache.ready();
  if (!(await cache.reaches(revision))) throw tooLargeResourceVersion(revision, cache.revision);
  const all = cache.under(prefix);
  const entries = matches ? all.filter((entry) => matches(resource.codec.read(entry))) : all;
  return { entries, revision: cache.revision };
}

async function nextPage(api: ApiContext, selection: Selection, limit: number, token: ContinueToken): Promise<Listed> {
  const { revision, after } = token;
  try {
    return await page(api, selection, { limit, after, ...(revision > 0n && { revision }) });
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 410) throw error;
    const message =
      "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results.";
    throw expired(message, { continue: encodeContinue({ revision: 0n, after }) });
  }
}

interface PageStart {
  readonly limit: number;
  readonly revision?: bigint;
  /** The last key of the page before. */
  readonly after?: string;
}

async function page(api: ApiContext, selection: Selection, { limit, revision, after }: PageStart): Promise<Listed> {
  const { resource, prefix, matches } = selection;
  const entries: Entry[] = [];
  let from = after === undefined ? prefix : `${resource.prefix}${after}\0`;
  let at = revision;
  for (;;) {
    const wanted = limit > 0 ? limit - entries.length : 0;
    const part = await api.store.page({
      prefix,
      from,
      ...(wanted > 0 && { limit: wanted }),
      ...(at && { revision: at }),
    });
    at = part.revision;
    entries.push(...(matches ? part.entries.filter((entry) => matches(resource.codec.read(entry))) : part.entries));
    const last = part.entries.at(-1);
    if (part.remaining === 0 || !last) return { entries, revision: at };
    from = `${last.key}\0`;
    if (entries.length < limit) continue;
    const token = encodeContinue({ revision: at, after: last.key.slice(resource.prefix.length) });
    // With a selector it is not known how many of those left would be found.
    return { entries, revision: at, continue: token, ...(!matches && { remaining: part.remaining }) };
  }
}

function limitOf(query: URLSearchParams): number {
  const limit = query.get("limit") ?? "0";
  if (!/^-?\d*$/.test(limit)) throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(limit)}: invalid syntax`);
  return Math.max(0, Number(limit));
}

export function revisionOf(version: string): bigint {
  if (version === "") return 0n;
  if (/^\d+$/.test(version)) return BigInt(version);
  const shown = JSON.stringify(version);
  const why = `strconv.ParseUint: parsing ${shown}: invalid syntax`;
  throw badRequest(`invalid resource version: resourceVersion: Invalid value: ${shown}: ${why}`);
}

function matchOf(query: URLSearchParams, version: string): string {
  const match = query.get("resourceVersionMatch") ?? "";
  if (match !== "" && version === "") {
    const why = "resourceVersionMatch is forbidden unless resourceVersion is provided";
    throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", [forbidden("resourceVersionMatch", why)]);
  }
  return match;
}
