import { type Cause, forbidden, invalid, required } from "../../crd/cause.ts";
import { isObject, type JsonObject, type KubeObject, listIn, objectIn, textIn } from "../../kube-object.ts";
import { dns1123LabelErrors } from "../../meta/names.ts";
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
  validate: (endpoints) =>
    listIn(endpoints, "subsets").flatMap((subset, index) => [
      ...(subset.addresses || subset.notReadyAddresses
        ? []
        : [required(`subsets[${index}]`, "must specify `addresses` or `notReadyAddresses`")]),
      ...listIn(subset, "ports").flatMap(({ name }, place) =>
        typeof name === "string" && name !== ""
          ? dns1123LabelErrors(name).map((error) => invalid(`subsets[${index}].ports[${place}].name`, name, error))
          : [],
      ),
    ]),
};

export const endpointSliceRules: KindRules = {
  applyDefaults(slice) {
    for (const port of listIn(slice, "ports")) fill(port, { name: "", protocol: "TCP" });
    for (const endpoint of listIn(slice, "endpoints")) fill(endpoint, { conditions: {} });
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
  validate: ({ value, preemptionPolicy }, old) => [
    ...(old && value !== old.value ? [forbidden("value", "may not be changed in an update.")] : []),
    ...(old && preemptionPolicy !== old.preemptionPolicy
      ? [invalid("preemptionPolicy", preemptionPolicy, "field is immutable")]
      : []),
  ],
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
  async admit(node, _, old) {
    if (!old) taintUntilSeen(inside(node, "spec"));
  },
};

/** No pod goes to a new node before the node controller has seen that it is ready. */
function taintUntilSeen(spec: JsonObject): void {
  const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  const isThere = listIn(spec, "taints").some(({ key, effect }) => key === taint.key && effect === taint.effect);
  if (!isThere) spec.taints = [...listIn(spec, "taints"), taint];
}

function emptyNodeInfo(): Record<string, string> {
  const fields = ["machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion"];
  const more = ["kubeletVersion", "kubeProxyVersion", "operatingSystem", "architecture"];
  return Object.fromEntries([...fields, ...more].map((field) => [field, ""]));
}
