import type { ApiContext } from "../api-context.ts";
import { ApiError, notFound } from "../api-error.ts";
import { inside } from "../kinds/rules/fill.ts";
import { isObject, type JsonObject, type KubeObject, numberIn, objectIn, textIn } from "../kube-object.ts";
import { matchesSelector } from "../meta/object-selector.ts";
import { deleteOptions, remove } from "./delete.ts";
import { keyOfTarget, type Target } from "./target.ts";
import { update } from "./update.ts";
import type { WriteOptions } from "./write-options.ts";

const BUDGETS = { group: "policy", plural: "poddisruptionbudgets" };

/** POST of pods/eviction: a deletion that asks the disruption budgets first. */
export async function evict(api: ApiContext, target: Target, body: JsonObject, options: WriteOptions): Promise<void> {
  const entry = await api.store.get(keyOfTarget(target));
  if (!entry) throw notFound(target.resource, target.name);
  const pod = target.resource.codec.read(entry);
  // What does not run cannot be disrupted.
  const isOver = ["Succeeded", "Failed", "Pending"].includes(textIn(pod, "status", "phase"));
  if (!isOver && !pod.metadata.deletionTimestamp) await spendBudget(api, pod, options);
  const asked = isObject(body.deleteOptions) ? body.deleteOptions : {};
  const { isDryRun, ...deletion } = deleteOptions(new URLSearchParams(), asked);
  await remove(api, { ...target }, { ...deletion, isDryRun: isDryRun || options.isDryRun });
}

async function spendBudget(api: ApiContext, pod: KubeObject, options: WriteOptions): Promise<void> {
  const { namespace, labels = {}, name = "" } = pod.metadata;
  const resource = api.registry.findAny(BUDGETS.group, BUDGETS.plural);
  const budgets = (await api.admission.list(BUDGETS.group, BUDGETS.plural)).filter(
    (budget) =>
      budget.metadata.namespace === namespace && matchesSelector(objectIn(budget, "spec", "selector"), labels),
  );
  if (!resource || budgets.length === 0) return;
  if (budgets.length > 1) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new ApiError(500, "InternalError", message);
  }
  const budget = budgets[0]?.metadata.name ?? "";
  await update(api, { resource, namespace, name: budget, subresource: "status" }, options, (old) => {
    const allowed = numberIn(old, "status", "disruptionsAllowed");
    if (allowed < 1) throw budgetSpent(budget, old);
    const spent = structuredClone(old);
    const status = inside(spent, "status");
    status.disruptionsAllowed = allowed - 1;
    inside(status, "disruptedPods")[name] = api.admission
      .now()
      .toISOString()
      .replace(/\.\d+Z$/, "Z");
    return spent;
  });
}

function budgetSpent(name: string, budget: KubeObject): ApiError {
  const { desiredHealthy = 0, currentHealthy = 0 } = objectIn(budget, "status");
  const why = `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  const causes = [{ reason: "DisruptionBudget", message: why }];
  return new ApiError(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes,
  });
}
