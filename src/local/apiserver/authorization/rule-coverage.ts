import { coversResource, hasOrAll, type PolicyRule, urlCovers } from "./policy-rule.ts";

/** What of the wanted rights the held ones do not include, in as few rules as they fit into. */
export function missingRights(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const missing = wanted.flatMap(singleRights).filter((right) => !held.some((rule) => includes(rule, right)));
  return compacted(missing);
}

/** As messages show rules. */
export function describedRule({ apiGroups, resources, resourceNames, nonResourceURLs, verbs }: PolicyRule): string {
  const fields: readonly (readonly [string, readonly string[]])[] = [
    ["APIGroups", apiGroups],
    ["Resources", resources],
    ["ResourceNames", resourceNames],
    ["NonResourceURLs", nonResourceURLs],
    ["Verbs", verbs],
  ];
  const given = fields.filter(([, values]) => values.length > 0);
  return `{${given.map(([name, values]) => `${name}:${quotedList(values)}`).join(", ")}}`;
}

/** The way Go prints a list of strings. */
export function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}

const none: readonly string[] = [];

/** One verb on one thing each, so that a right held in parts counts as held. */
function singleRights(rule: PolicyRule): PolicyRule[] {
  const names = rule.resourceNames.length > 0 ? rule.resourceNames.map((name) => [name]) : [none];
  return rule.verbs.flatMap((verb) => [
    ...rule.apiGroups.flatMap((group) =>
      rule.resources.flatMap((resource) =>
        names.map((resourceNames) => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          resourceNames,
          nonResourceURLs: none,
        })),
      ),
    ),
    ...rule.nonResourceURLs.map((url) => ({
      verbs: [verb],
      apiGroups: none,
      resources: none,
      resourceNames: none,
      nonResourceURLs: [url],
    })),
  ]);
}

function includes(held: PolicyRule, right: PolicyRule): boolean {
  if (!right.verbs.every((verb) => hasOrAll(held.verbs, verb))) return false;
  const [url] = right.nonResourceURLs;
  if (url !== undefined) return held.nonResourceURLs.some((granted) => urlCovers(granted, url));
  const [, resource = "", subresource = ""] = /^([^/]*)\/?(.*)$/s.exec(right.resources[0] ?? "") ?? [];
  return (
    hasOrAll(held.apiGroups, right.apiGroups[0] ?? "") &&
    coversResource(held.resources, resource, subresource) &&
    (held.resourceNames.length === 0 ||
      (right.resourceNames.length > 0 && right.resourceNames.every((name) => held.resourceNames.includes(name))))
  );
}

function compacted(rights: readonly PolicyRule[]): PolicyRule[] {
  const merged = new Map<string, PolicyRule>();
  for (const right of rights) {
    const key = describedRule({ ...right, verbs: none });
    const verbs = new Set([...(merged.get(key)?.verbs ?? none), ...right.verbs]);
    merged.set(key, { ...right, verbs: [...verbs] });
  }
  return [...merged.values()].sort((one, other) => (describedRule(one) < describedRule(other) ? -1 : 1));
}
