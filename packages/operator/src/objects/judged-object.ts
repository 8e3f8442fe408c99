import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { sharedWith, UnreadableStatus, withUnknownFields } from "@etcd-operator/kubernetes-client";
import type * as z from "zod";
import type { KindName, kinds } from "../api/kinds.ts";
import { describeProblem, judge, judgeStatus, type Problem } from "../api/schema/judge.ts";

type ObjectOf<K extends KindName> = z.output<(typeof kinds)[K]["schema"]> & KubeObject;

export interface Judged<T extends KubeObject> {
  /** With every default filled in; or as it is stored, when something is wrong with its spec. */
  readonly object: Stored<T>;
  /** What that is, one line each. */
  readonly problems: readonly string[];
}

/** Keyed by the object as it was read, which is never modified: caches return the same one until it is replaced. */
const alreadyJudged = new WeakMap<object, Judged<never>>();

/**
 * An object of ours as a controller reads it. Throws an `UnreadableStatus` where that status has values that this
 * release does not know.
 */
export function judgedObject<K extends KindName>(kind: K, stored: Stored<ObjectOf<K>>): Judged<ObjectOf<K>> {
  const judged = (alreadyJudged.get(stored) as Judged<ObjectOf<K>> | undefined) ?? judgedNow(kind, stored);
  alreadyJudged.set(stored, judged as unknown as Judged<never>);
  return judged;
}

function judgedNow<K extends KindName>(kind: K, stored: Stored<ObjectOf<K>>): Judged<ObjectOf<K>> {
  const judged = judge(kind, stored);
  // Judging fills in and leaves out, but keeps all of the metadata.
  if (judged.kind === "valid") {
    // Both are in memory for as long as the object is: unchanged parts are shared.
    const filled = sharedWith(judged.object as object, stored);
    const object = { ...stored, ...filled } as unknown as Stored<ObjectOf<K>>;
    origins.set(object, stored);
    return { object, problems: [] };
  }
  const illegible = judged.problems.flatMap((problem) => statusFieldOf(problem) ?? []);
  if (illegible.length > 0) {
    if (isOurs(stored.status))
      throw new UnreadableStatus(
        kind,
        stored,
        judged.problems.filter((problem) => statusFieldOf(problem) !== undefined),
      );
    return judgedNow(kind, withoutStatusFields(stored, illegible));
  }
  const spec = isBlock(stored.spec) ? stored.spec : {};
  const known = isBlock(stored.status) && { status: sharedWith(judgeStatus(kind, stored.status), stored.status) };
  const object = { ...stored, spec, ...known } as unknown as Stored<ObjectOf<K>>;
  origins.set(object, stored);
  return { object, problems: judged.problems.map(describeProblem) };
}

/** A judged object with another spec; of its status, what this release does not know is kept all the same. */
export function withSpec<T extends KubeObject & { readonly spec: unknown }>(judged: T, spec: T["spec"]): T {
  const object = { ...judged, spec };
  const stored = origins.get(judged);
  if (stored) origins.set(object, stored);
  return object;
}

/** Judged objects, and what is stored of them. */
const origins = new WeakMap<object, KubeObject & { readonly status?: unknown }>();

/**
 * The status to write: with the fields of a newer release that this one does not know. It may rely on them after it has
 * been rolled forward again.
 */
export function statusToWrite<K extends KindName, T extends object>(kind: K, judged: object, next: T): T {
  const stored = origins.get(judged)?.status;
  if (!isBlock(stored) || stored === (judged as { status?: unknown }).status) return next;
  return withUnknownFields(next, stored, judgeStatus(kind, stored));
}

/** The first-level field of the status that a problem is about; "" for the status itself. */
function statusFieldOf({ field }: Problem): string | undefined {
  const [top, inside = ""] = field.split(/[.[]/);
  return top === "status" ? inside : undefined;
}

/** coreos/etcd-operator never wrote which generation it observed; we always do. */
function isOurs(status: unknown): boolean {
  return isBlock(status) && Object.hasOwn(status, "observedGeneration");
}

/**
 * A status from before there was a schema may hold anything, and the user did not write it: what cannot be read is left
 * out.
 */
function withoutStatusFields<T extends KubeObject & { status?: unknown }>(
  stored: Stored<T>,
  illegible: readonly string[],
): Stored<T> {
  const { status, ...rest } = stored;
  if (illegible.includes("") || !isBlock(status)) return rest as unknown as Stored<T>;
  const legible = Object.entries(status).filter(([field]) => !illegible.includes(field));
  return { ...rest, status: Object.fromEntries(legible) } as unknown as Stored<T>;
}

function isBlock(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
