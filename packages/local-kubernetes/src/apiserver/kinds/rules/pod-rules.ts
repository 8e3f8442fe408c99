import { forbidden } from "../../api-error.ts";
import { type JsonObject, type KubeObject, listIn, objectIn, textIn } from "../../kube-object.ts";
import type { Admission } from "../admission.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";
import { podSpecDefaults } from "./pod-spec-defaults.ts";
import { admitServiceAccount } from "./service-account-admission.ts";
import { podUpdateCauses } from "./validation/pod-update.ts";
import { podImageCauses, podSpecCauses, qosClassOf } from "./validation/pod-validation.ts";
import { portWarnings } from "./validation/port-warnings.ts";

export const podRules: KindRules = {
  applyDefaults(pod) {
    const spec = inside(pod, "spec");
    podSpecDefaults(spec);
    fill(spec, { enableServiceLinks: true });
    for (const container of [...listIn(spec, "containers"), ...listIn(spec, "initContainers")])
      requestWhatIsLimited(container);
  },

  prepareCreate(pod) {
    pod.status = { phase: "Pending", qosClass: qosClassOf(objectIn(pod, "spec")) };
  },

  async admit(pod, admission, old) {
    const spec = inside(pod, "spec");
    if (!old) {
      await admitServiceAccount(pod, spec, admission);
      await admitPriority(pod, spec, admission);
    }
    tolerateShortOutages(spec);
  },

  validate: (pod, old, subresource) => [
    ...(subresource ? [] : podSpecCauses(objectIn(pod, "spec"), "spec")),
    ...(subresource ? [] : podImageCauses(objectIn(pod, "spec"))),
    ...(old && !subresource ? podUpdateCauses(pod, old) : []),
  ],

  // Pods are seldom updated by a person who would read a warning.
  warnings: (pod, old) => (old ? [] : portWarnings(objectIn(pod, "spec"), "spec")),

  gracePeriodSeconds(pod, asked) {
    const { terminationGracePeriodSeconds } = objectIn(pod, "spec");
    const isOver = ["Succeeded", "Failed"].includes(textIn(pod, "status", "phase"));
    // Nothing of it runs anywhere, so there is nothing to wait for.
    if (isOver || textIn(pod, "spec", "nodeName") === "") return 0;
    return asked ?? (typeof terminationGracePeriodSeconds === "number" ? terminationGracePeriodSeconds : 30);
  },
};

function requestWhatIsLimited(container: JsonObject): void {
  const resources = inside(container, "resources");
  const limits = objectIn(resources, "limits");
  if (Object.keys(limits).length > 0) fill(inside(resources, "requests"), limits);
}

async function admitPriority(pod: KubeObject, spec: JsonObject, admission: Admission): Promise<void> {
  const name = textIn(spec, "priorityClassName");
  const known = name === "" ? undefined : await admission.find("scheduling.k8s.io", "priorityclasses", name);
  if (name !== "" && !known) {
    const why = `no PriorityClass with name ${name} was found`;
    throw forbidden({ group: "", plural: "pods" }, pod.metadata.name ?? "", why);
  }
  spec.priority = known?.value ?? 0;
  fill(spec, { preemptionPolicy: known?.preemptionPolicy ?? "PreemptLowerPriority" });
}

const OUTAGE_SECONDS = 300;

function tolerateShortOutages(spec: JsonObject): void {
  const tolerations = listIn(spec, "tolerations");
  for (const key of ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]) {
    if (tolerations.some((toleration) => toleratesNoExecute(toleration, key))) continue;
    tolerations.push({ key, operator: "Exists", effect: "NoExecute", tolerationSeconds: OUTAGE_SECONDS });
  }
  spec.tolerations = tolerations;
}

function toleratesNoExecute({ key, effect }: JsonObject, wanted: string): boolean {
  return (key === wanted || !key) && (effect === "NoExecute" || !effect);
}
