import { isDeepStrictEqual } from "node:util";
import { resources } from "../../../kubernetes/resources.ts";
import type { ControllerContext } from "../controller-context.ts";
import { WorkQueue } from "../work-queue.ts";
import { gatheredRules } from "./gathered-rules.ts";

/** Fills in the rules of ClusterRoles with an aggregationRule, such as "view": a CRD's author adds to them by a label. */
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
