import { type JsonObject, listIn } from "../kube-object.ts";

/** One rule of a role, with nothing missing. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** What a client requests: of objects, or at a path that has none. */
export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly kind: "resource";
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty: none, or all of them. */
  readonly namespace: string;
  readonly name: string;
}

export interface PathAttributes {
  readonly kind: "path";
  readonly verb: string;
  readonly path: string;
}

export function rulesOf(role: JsonObject): PolicyRule[] {
  return listIn(role, "rules").map((rule) => ({
    verbs: textsIn(rule.verbs),
    apiGroups: textsIn(rule.apiGroups),
    resources: textsIn(rule.resources),
    resourceNames: textsIn(rule.resourceNames),
    nonResourceURLs: textsIn(rule.nonResourceURLs),
  }));
}

export function ruleAllows(rule: PolicyRule, asked: Attributes): boolean {
  if (!hasOrAll(rule.verbs, asked.verb)) return false;
  if (asked.kind === "path") return rule.nonResourceURLs.some((url) => urlCovers(url, asked.path));
  return (
    hasOrAll(rule.apiGroups, asked.group) &&
    coversResource(rule.resources, asked.resource, asked.subresource) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(asked.name))
  );
}

/** "*" is everything, "*" and a subresource is that of every resource. */
export function coversResource(granted: readonly string[], resource: string, subresource: string): boolean {
  const whole = subresource === "" ? resource : `${resource}/${subresource}`;
  return hasOrAll(granted, whole) || (subresource !== "" && granted.includes(`*/${subresource}`));
}

/** A URL of a rule may end in "*". */
export function urlCovers(granted: string, path: string): boolean {
  return granted === path || (granted.endsWith("*") && path.startsWith(granted.slice(0, -1)));
}

export function hasOrAll(granted: readonly string[], wanted: string): boolean {
  return granted.includes("*") || granted.includes(wanted);
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
