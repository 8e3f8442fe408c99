import type * as z from "zod";
import { describeProblem, judge, type Problem } from "../api/judge.ts";
import type { KindName, kinds } from "../api/kinds.ts";
import type { KubeObject, Stored } from "./kube-object.ts";
import { sharedWith } from "./shared-parts.ts";

type ObjectOf<K extends KindName> = z.output<(typeof kinds)[K]["schema"]> & KubeObject;

export interface Judged<T extends KubeObject> {
  /** With every default filled in; or as it is stored, when something is wrong with its spec. */
  readonly object: Stored<T>;
  /** What that is, one line each. */
  readonly problems: readonly string[];
}

/** By the object as it was read, of which nobody changes anything: caches give out the same one until it is another. */
const known = new WeakMap<object, Judged<never>>();

/** An object of ours as a controller reads it. */
export function judgedObject<K extends KindName>(kind: K, stored: Stored<ObjectOf<K>>): Judged<ObjectOf<K>> {
  const judged = (known.get(stored) as Judged<ObjectOf<K>> | undefined) ?? judgedNow(kind, stored);
  known.set(stored, judged as unknown as Judged<never>);
  return judged;
}

function judgedNow<K extends KindName>(kind: K, stored: Stored<ObjectOf<K>>): Judged<ObjectOf<K>> {
  const judged = judge(kind, stored);
  // Judging fills in and leaves out, but keeps all of the metadata.
  if (judged.kind === "valid") {
    // Both are in memory for as long as the object is: what is not filled in, they hold together.
    const filled = sharedWith(judged.object as object, stored);
    return { object: { ...stored, ...filled } as unknown as Stored<ObjectOf<K>>, problems: [] };
  }
  const illegible = statusFieldsIn(judged.problems);
  if (illegible.length > 0) return judgedNow(kind, withoutStatusFields(stored, illegible));
  const spec = isBlock(stored.spec) ? stored.spec : {};
  const object = { ...stored, spec } as unknown as Stored<ObjectOf<K>>;
  return { object, problems: judged.problems.map(describeProblem) };
}

/** The first-level fields of the status that something is wrong with; "" for the status as a whole. */
function statusFieldsIn(problems: readonly Problem[]): string[] {
  return problems.flatMap(({ field }) => {
    const [top, inside = ""] = field.split(/[.[]/);
    return top === "status" ? [inside] : [];
  });
}

/**
 * A status from before there was a schema may hold anything, and it is not the user who has to put it right: what cannot be read is
 * left out. What we wrote ourselves went through the schema.
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
