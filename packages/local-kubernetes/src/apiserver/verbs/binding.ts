import type { ApiContext } from "../api-context.ts";
import { badRequest, conflict, plainError } from "../api-error.ts";
import { type Cause, notSupported, required } from "../crd/cause.ts";
import { inside } from "../kinds/rules/fill.ts";
import { type JsonObject, type KubeObject, listIn, objectIn, textIn } from "../kube-object.ts";
import { timestamp } from "../meta/timestamp.ts";
import type { Target } from "./target.ts";
import { otherObject, update } from "./update.ts";
import type { WriteOptions } from "./write-options.ts";

/** POST of pods/binding: a scheduler's choice of a node, which is made once. */
export async function bind(api: ApiContext, target: Target, body: JsonObject, options: WriteOptions): Promise<void> {
  if (textIn(body, "metadata", "name") !== target.name)
    throw badRequest("name in URL does not match name in Binding object");
  const causes = targetCauses(objectIn(body, "target"));
  if (causes.length > 0) throw plainError(aggregated(causes));
  const { uid, annotations = {} } = objectIn(body, "metadata");
  const pod = { ...target, subresource: "binding" };
  await update(api, pod, options, (old) => {
    if (uid !== undefined && uid !== old.metadata.uid) throw otherObject(target, String(uid), old, options.isDryRun);
    const refusal = refusalOf(old);
    if (refusal) throw conflict({ group: "", plural: "pods/binding" }, target.name, refusal);
    const bound = structuredClone(old);
    if (Object.keys(annotations as object).length > 0)
      Object.assign(inside(bound.metadata, "annotations"), annotations);
    inside(bound, "spec").nodeName = textIn(body, "target", "name");
    const conditions = listIn(objectIn(bound, "status"), "conditions").filter(({ type }) => type !== "PodScheduled");
    const lastTransitionTime = timestamp(api.admission.now());
    conditions.push({ type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime });
    inside(bound, "status").conditions = conditions;
    return bound;
  });
}

function targetCauses({ kind, name }: JsonObject): Cause[] {
  return [
    ...(kind === undefined || kind === "Node" ? [] : [notSupported("target.kind", kind, ["Node", "<empty>"])]),
    ...(name === undefined ? [required("target.name")] : []),
  ];
}

/** Go's way to say several things at once. */
function aggregated(causes: readonly Cause[]): string {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

function refusalOf(pod: KubeObject): string | undefined {
  const { name, deletionTimestamp } = pod.metadata;
  const assigned = textIn(pod, "spec", "nodeName");
  if (deletionTimestamp) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (assigned !== "") return `pod ${name} is already assigned to node "${assigned}"`;
  return listIn(pod, "spec", "schedulingGates").length > 0
    ? `pod ${name} has non-empty .spec.schedulingGates`
    : undefined;
}
