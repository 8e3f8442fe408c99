import type { LabelSelector } from "kubernetes-types/meta/v1.d.ts";
import { selects } from "../../label-selector.ts";
import type { ApiContext } from "../api-context.ts";
import { ApiError, badRequest, forbidden, notFound, plainError } from "../api-error.ts";
import { inside } from "../kinds/rules/fill.ts";
import { isObject, type JsonObject, type KubeObject, listIn, numberIn, objectIn, textIn } from "../kube-object.ts";
import { timestamp } from "../meta/timestamp.ts";
import { checkPreconditions, remove } from "./delete.ts";
import { type DeleteOptions, deleteOptions } from "./delete-options.ts";
import { keyOfTarget, type Target } from "./target.ts";
import { update } from "./update.ts";
import type { WriteOptions } from "./write-options.ts";
import { objectOf } from "./written.ts";

const BUDGETS = { group: "policy", plural: "poddisruptionbudgets" };

/** POST of pods/eviction: a deletion that asks the disruption budgets first. */
export async function evict(api: ApiContext, target: Target, body: JsonObject, options: WriteOptions): Promise<void> {
  if (textIn(body, "metadata", "name") !== target.name)
    throw badRequest("name in URL does not match name in Eviction object");
  const entry = await api.store.get(keyOfTarget(target));
  if (!entry) throw notFound(target.resource, target.name);
  const pod = target.resource.codec.read(entry);
  const asked = deleteOptions(new URLSearchParams(), isObject(body.deleteOptions) ? body.deleteOptions : {});
  const deletion = { ...asked, isDryRun: asked.isDryRun || options.isDryRun };
  // What does not run cannot be disrupted.
  const isOver = ["Succeeded", "Failed", "Pending"].includes(textIn(pod, "status", "phase"));
  const budget = isOver || pod.metadata.deletionTimestamp ? undefined : await budgetOf(api, pod);
  if (!budget) return end(api, target, deletion, options);
  if (isHarmless(pod, budget)) {
    const resourceVersion = deletion.resourceVersion ?? pod.metadata.resourceVersion ?? "";
    // It may have become ready meanwhile, and then it counts.
    return end(api, target, { ...deletion, resourceVersion }, options).catch((error: unknown) => {
      const isOurs = deletion.resourceVersion === undefined && error instanceof ApiError && error.code === 409;
      throw isOurs ? tooEarly(budget.metadata.name ?? "") : error;
    });
  }
  await spend(api, budget, target.name, { ...options, isDryRun: deletion.isDryRun });
  await end(api, target, deletion, options);
}

async function budgetOf(api: ApiContext, pod: KubeObject): Promise<KubeObject | undefined> {
  const { namespace, labels = {} } = pod.metadata;
  const budgets = (await api.admission.list(BUDGETS.group, BUDGETS.plural)).filter(
    (budget) =>
      budget.metadata.namespace === namespace && selects(objectIn(budget, "spec", "selector") as LabelSelector, labels),
  );
  if (budgets.length <= 1) return budgets[0];
  const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
  throw plainError(message);
}

/** A pod that is not ready takes nothing away from those that are, as long as they are enough. */
function isHarmless(pod: KubeObject, budget: KubeObject): boolean {
  const conditions = listIn(objectIn(pod, "status"), "conditions");
  if (conditions.some(({ type, status }) => type === "Ready" && status === "True")) return false;
  if (textIn(budget, "spec", "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true;
  const desired = numberIn(budget, "status", "desiredHealthy");
  return desired > 0 && numberIn(budget, "status", "currentHealthy") >= desired;
}

async function spend(api: ApiContext, budget: KubeObject, pod: string, options: WriteOptions): Promise<void> {
  const resource = api.registry.findAny(BUDGETS.group, BUDGETS.plural);
  const { name = "", namespace } = budget.metadata;
  if (!resource) return;
  await update(api, { resource, namespace, name, subresource: "status" }, options, (old) => {
    if (numberIn(old, "status", "observedGeneration") < (old.metadata.generation ?? 0)) throw tooEarly(name);
    const allowed = numberIn(old, "status", "disruptionsAllowed");
    if (allowed < 0)
      throw forbidden({ ...BUDGETS, plural: "poddisruptionbudget" }, name, "pdb disruptions allowed is negative");
    if (allowed === 0) throw spent(name, old);
    const changed = structuredClone(old);
    const status = inside(changed, "status");
    status.disruptionsAllowed = allowed - 1;
    inside(status, "disruptedPods")[pod] = timestamp(api.admission.now());
    return changed;
  });
}

const REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget.";

function tooEarly(name: string): ApiError {
  const causes = [
    { reason: "DisruptionBudget", message: `The disruption budget ${name} is still being processed by the server.` },
  ];
  return new ApiError(429, "TooManyRequests", REFUSAL, { causes, retryAfterSeconds: 10 });
}

function spent(name: string, budget: KubeObject): ApiError {
  const { desiredHealthy = 0, currentHealthy = 0 } = objectIn(budget, "status");
  const why = `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  return new ApiError(429, "TooManyRequests", REFUSAL, { causes: [{ reason: "DisruptionBudget", message: why }] });
}

/** Writes down why the pod ends, then deletes it. */
async function end(api: ApiContext, target: Target, deletion: DeleteOptions, options: WriteOptions): Promise<void> {
  if (deletion.isDryRun) {
    await remove(api, target, deletion);
    return;
  }
  const written = await update(api, { ...target, subresource: "status" }, options, (old) => {
    checkPreconditions(target, old, deletion);
    const marked = structuredClone(old);
    const status = inside(marked, "status");
    const others = listIn(status, "conditions").filter(({ type }) => type !== "DisruptionTarget");
    const why = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };
    const lastTransitionTime = timestamp(api.admission.now());
    status.conditions = [
      ...others,
      { type: "DisruptionTarget", status: "True", ...why, lastProbeTime: null, lastTransitionTime },
    ];
    return marked;
  });
  // The one who changed it was us.
  const { resourceVersion } = objectOf(target.resource, written).metadata;
  const isPinned = deletion.resourceVersion !== undefined && resourceVersion !== undefined;
  await remove(api, target, { ...deletion, ...(isPinned && { resourceVersion }) });
}
