import { isDeepStrictEqual } from "node:util";
import type { ClusterRole, PolicyRule } from "kubernetes-types/rbac/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { selects } from "../../label-selector.ts";

/** The rules of a role that gathers those of others: each rule once, in the order of selectors and then of names. */
export function gatheredRules(role: Stored<ClusterRole>, all: readonly Stored<ClusterRole>[]): PolicyRule[] {
  const others = all
    .filter(({ metadata }) => metadata.name !== role.metadata.name)
    .sort((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? []) {
    for (const other of others) {
      if (!selects(selector, other.metadata.labels)) continue;
      const fresh = (other.rules ?? []).filter((rule) => !rules.some((known) => isDeepStrictEqual(known, rule)));
      rules.push(...fresh);
    }
  }
  return rules;
}
