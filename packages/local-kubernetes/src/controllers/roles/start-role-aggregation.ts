import { isDeepStrictEqual } from "node:util";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ClusterRole, PolicyRule } from "kubernetes-types/rbac/v1.d.ts";
import { selects } from "../../label-selector.ts";
import type { ControllerContext } from "../controller-context.ts";
import { WorkQueue } from "../work-queue.ts";

/**
 * Fills in the rules of ClusterRoles with an aggregationRule, such as "view": a CRD's author adds to them by a label.
 */
export function startRoleAggregation(context: ControllerContext): void {
  const { informers, signal, log } = context;
  const { cache } = informers.clusterRoles;
  const queue = new WorkQueue({ name: "role aggregation", signal, log, work: (name) => reconcile(context, name) });
  informers.clusterRoles.onChange(() => {
    for (const { aggregationRule, metadata } of cache.list()) if (aggregationRule) queue.add(metadata.name);
  });
}

async function reconcile({ client, informers, signal }: ControllerContext, name: string): Promise<undefined> {
  const { cache } = informers.clusterRoles;
  await cache.waitForSync(signal);
  const role = cache.get({ name });
  if (!role?.aggregationRule || role.metadata.deletionTimestamp) return undefined;
  const rules = gatheredRules(role, cache.list());
  if (isDeepStrictEqual(rules, role.rules ?? [])) return undefined;
  await client.update(resources.clusterRoles, { ...role, rules }, { signal });
  return undefined;
}

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
