import type { Scope } from "./scope.ts";
import type { Answer, KubeObject } from "./target.ts";

/** One entry of metadata.managedFields without its time: who, how, through which door, and which fields. */
interface Manager {
  readonly who: string;
  readonly fields: unknown;
}

/** Who manages what, in the order of the object; `who` is such as "kubectl Apply" or "kubelet Update status". */
export function managersOf(object: KubeObject): Manager[] {
  const entries = (object.metadata?.managedFields ?? []) as Record<string, string>[];
  return entries.map(({ manager, operation, subresource, fieldsV1 }) => ({
    who: [manager, operation, subresource].filter(Boolean).join(" "),
    fields: fieldsV1,
  }));
}

/** The same without order, for entries whose times may or may not be the same second. */
export function byManager(object: KubeObject): Record<string, unknown> {
  return Object.fromEntries(managersOf(object).map(({ who, fields }) => [who, fields]));
}

interface ApplyOptions {
  readonly as: string;
  readonly force?: boolean;
  readonly query?: string;
  readonly subresource?: string;
}

/** Applies an object, or text as it is, at the path of its name. */
export function apply(
  at: Scope,
  resource: string,
  object: KubeObject | string,
  { as, force, query = "", subresource }: ApplyOptions,
  name = typeof object === "string" ? "" : (object.metadata?.name ?? ""),
): Promise<Answer> {
  const path = `${at.path(resource, name)}${subresource ? `/${subresource}` : ""}`;
  const all = `fieldManager=${as}${force ? "&force=true" : ""}${query}`;
  return at.rest("PATCH", `${path}?${all}`, object, { contentType: "application/apply-patch+yaml" });
}

/** The lines of a message in alphabetical order: Go walks maps in none. */
export function linesOf(message: unknown): string[] {
  return String(message).split("\n").sort();
}
