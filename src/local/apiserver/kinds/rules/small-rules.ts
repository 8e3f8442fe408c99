import { type Cause, invalid, notSupported, required } from "../../crd/cause.ts";
import { isObject, type KubeObject, listIn, objectIn, sameJson, textIn, valueIn } from "../../kube-object.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";

export const leaseRules: KindRules = {
  applyDefaults: (lease) => fill(lease, { spec: {} }),
  validate: (lease) => {
    const { leaseDurationSeconds, leaseTransitions } = objectIn(lease, "spec");
    return [
      ...(typeof leaseDurationSeconds === "number" && leaseDurationSeconds <= 0
        ? [invalid("spec.leaseDurationSeconds", leaseDurationSeconds, "must be greater than 0")]
        : []),
      ...(typeof leaseTransitions === "number" && leaseTransitions < 0
        ? [invalid("spec.leaseTransitions", leaseTransitions, "must be greater than or equal to 0")]
        : []),
    ];
  },
};

export const budgetRules: KindRules = {
  prepareCreate(budget) {
    budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  validate: (budget) => {
    const { minAvailable, maxUnavailable } = objectIn(budget, "spec");
    if (minAvailable === undefined || maxUnavailable === undefined) return [];
    return [invalid("spec", objectIn(budget, "spec"), "minAvailable and maxUnavailable cannot be both set")];
  },
};

const RBAC = "rbac.authorization.k8s.io";

export const bindingRules: KindRules = {
  applyDefaults(binding) {
    fill(inside(binding, "roleRef"), { apiGroup: RBAC });
    for (const subject of listIn(binding, "subjects")) {
      if (subject.kind !== "ServiceAccount") fill(subject, { apiGroup: RBAC });
    }
  },
  validate: (binding, old) => [
    ...(["Role", "ClusterRole"].includes(textIn(binding, "roleRef", "kind"))
      ? []
      : [notSupported("roleRef.kind", valueIn(binding, "roleRef", "kind"), ["Role", "ClusterRole"])]),
    ...(textIn(binding, "roleRef", "name") === "" ? [required("roleRef.name")] : []),
    ...(old && !sameJson(binding.roleRef, old.roleRef)
      ? [invalid("roleRef", binding.roleRef, "cannot change roleRef")]
      : []),
  ],
};

export const roleRules: KindRules = {
  applyDefaults: (role) => fill(role, { rules: null }),
  validate: (role) =>
    listIn(role, "rules").flatMap((rule, index) =>
      Array.isArray(rule.verbs) ? [] : [required(`rules[${index}].verbs`, "verbs must contain at least one value")],
    ),
};

export const eventRules: KindRules = {
  applyDefaults: (event) =>
    fill(event, {
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: "",
      reportingInstance: "",
    }),
  validate: eventCauses,
};

function eventCauses(event: KubeObject): Cause[] {
  const about = textIn(event, "involvedObject", "namespace");
  const { namespace = "" } = event.metadata;
  // What belongs to no namespace is told about in "default".
  const fits = about === namespace || (about === "" && namespace === "default");
  return fits ? [] : [invalid("involvedObject.namespace", about, "does not match event.namespace")];
}

export const endpointsRules: KindRules = {
  applyDefaults(endpoints) {
    for (const subset of listIn(endpoints, "subsets"))
      for (const port of listIn(subset, "ports")) fill(port, { protocol: "TCP" });
  },
};

export const endpointSliceRules: KindRules = {
  applyDefaults(slice) {
    for (const port of listIn(slice, "ports")) fill(port, { name: "", protocol: "TCP" });
    fill(slice, { endpoints: null, ports: null });
  },
  validate: (slice, old) => [
    ...(textIn(slice, "addressType") === "" ? [required("addressType")] : []),
    ...(old && slice.addressType !== old.addressType
      ? [invalid("addressType", slice.addressType, "field is immutable")]
      : []),
  ],
};

export const priorityClassRules: KindRules = {
  applyDefaults: (priority) => fill(priority, { preemptionPolicy: "PreemptLowerPriority", value: 0 }),
};

export const nodeRules: KindRules = {
  // A kubelet that registers its node tells at once how it is.
  keepsCreatedStatus: true,
  applyDefaults(node) {
    fill(node, { spec: {} });
    if (!isObject(node.status))
      node.status = { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: emptyNodeInfo() };
    const status = inside(node, "status");
    if (status.allocatable === undefined && status.capacity !== undefined) status.allocatable = status.capacity;
  },
};

function emptyNodeInfo(): Record<string, string> {
  const fields = ["machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion"];
  const more = ["kubeletVersion", "kubeProxyVersion", "operatingSystem", "architecture"];
  return Object.fromEntries([...fields, ...more].map((field) => [field, ""]));
}
