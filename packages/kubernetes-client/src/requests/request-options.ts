export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The client's own when absent. */
  readonly timeoutMs?: number | undefined;
}

/** Which objects of a kind. */
export interface Selection {
  /** All namespaces when absent. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export interface ListOptions extends Selection, CallOptions {
  /** Objects per request; 500. */
  readonly limit?: number | undefined;
  /** The newest state, read consistently, when absent. */
  readonly resourceVersion?: string | undefined;
  readonly resourceVersionMatch?: "Exact" | "NotOlderThan" | undefined;
}

export interface WatchOptions extends Selection, CallOptions {
  readonly resourceVersion?: string | undefined;
  readonly allowWatchBookmarks?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly fieldValidation?: "Strict" | "Warn" | "Ignore" | undefined;
  /** Only with `apply`: take over fields that others own. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends CallOptions {
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly propagationPolicy?: "Foreground" | "Background" | "Orphan" | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export interface JsonPatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** A change, in one of the four ways that the API server knows. Strategic merge is for built-in kinds only. */
export type Patch =
  | { readonly merge: unknown }
  | { readonly json: readonly JsonPatchOperation[] }
  | { readonly strategic: unknown }
  | { readonly apply: unknown };

/** The content type and the body of a patch. */
export function patchBody(patch: Patch): { contentType: string; body: unknown } {
  if ("merge" in patch) return { contentType: "application/merge-patch+json", body: patch.merge };
  if ("json" in patch) return { contentType: "application/json-patch+json", body: patch.json };
  if ("strategic" in patch) return { contentType: "application/strategic-merge-patch+json", body: patch.strategic };
  // JSON is YAML, and servers before 1.32 know no other name for it.
  return { contentType: "application/apply-patch+yaml", body: patch.apply };
}

export function deleteBody(options: DeleteOptions): unknown {
  const { preconditions, propagationPolicy, gracePeriodSeconds } = options;
  return { apiVersion: "v1", kind: "DeleteOptions", preconditions, propagationPolicy, gracePeriodSeconds };
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function selectionQuery({ labelSelector, fieldSelector }: Selection): Query {
  return { labelSelector, fieldSelector };
}

export function writeQuery({ fieldManager, dryRun, fieldValidation, force }: WriteOptions): Query {
  return { fieldManager, dryRun: dryRun ? "All" : undefined, fieldValidation, force };
}

/** The query as a string; what is undefined is left out. */
export function queryString(query: Query): string {
  const given = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value !== undefined) given.set(key, String(value));
  return given.toString();
}
