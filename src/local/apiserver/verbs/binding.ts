import type { ApiContext } from "../api-context.ts";
import { badRequest, conflict } from "../api-error.ts";
import { inside } from "../kinds/rules/fill.ts";
import { type JsonObject, listIn, objectIn, textIn } from "../kube-object.ts";
import { timestamp } from "../meta/timestamp.ts";
import type { Target } from "./target.ts";
import { update } from "./update.ts";
import type { WriteOptions } from "./write-options.ts";

/** POST of pods/binding: a scheduler's choice of a node, which is made once. */
export async function bind(api: ApiContext, target: Target, body: JsonObject, options: WriteOptions): Promise<void> {
  if (textIn(body, "metadata", "name") !== target.name)
    throw badRequest("name in URL does not match name in Binding object");
  const node = textIn(body, "target", "name");
  if (node === "") throw badRequest("target.name: Required value");
  const pod = { ...target, subresource: "binding" };
  await update(api, pod, options, (old) => {
    const assigned = textIn(old, "spec", "nodeName");
    if (assigned !== "")
      throw conflict(target.resource, target.name, `pod ${target.name} is already assigned to node "${assigned}"`);
    const bound = structuredClone(old);
    inside(bound, "spec").nodeName = node;
    const conditions = listIn(objectIn(bound, "status"), "conditions").filter(({ type }) => type !== "PodScheduled");
    const lastTransitionTime = timestamp(api.admission.now());
    conditions.push({ type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime });
    inside(bound, "status").conditions = conditions;
    return bound;
  });
}
