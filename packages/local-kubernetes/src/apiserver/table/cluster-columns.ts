import { type JsonObject, type KubeObject, listIn, numberIn, objectIn, textIn, valueIn } from "../kube-object.ts";
import { ageColumn, ageOf, type Column, column, createdAtColumn, nameColumn, wide } from "./column.ts";

const count = (field: string) => (object: KubeObject) => Object.keys(objectIn(object, field)).length;
const text =
  (...path: string[]) =>
  (object: KubeObject) =>
    textIn(object, ...path);
const orNone =
  (...path: string[]) =>
  (object: KubeObject) =>
    textIn(object, ...path) || "<none>";
const unset =
  (...path: string[]) =>
  (object: KubeObject) =>
    textIn(object, ...path) || "<unset>";

const known =
  (...path: string[]) =>
  (object: KubeObject) =>
    textIn(object, ...path) || "<unknown>";

export const namespaceColumns = [nameColumn, column("Status", text("status", "phase")), ageColumn];
export const configMapColumns = [nameColumn, column("Data", countAll), ageColumn];
export const secretColumns = [nameColumn, column("Type", text("type")), column("Data", count("data")), ageColumn];
export const leaseColumns = [nameColumn, column("Holder", text("spec", "holderIdentity")), ageColumn];
export const roleColumns = [nameColumn, createdAtColumn];

export const serviceAccountColumns = [
  nameColumn,
  column("Secrets", (account) => listIn(account, "secrets").length),
  ageColumn,
];

export const nodeColumns = [
  nameColumn,
  column("Status", nodeStatus),
  column("Roles", nodeRoles),
  ageColumn,
  column("Version", text("status", "nodeInfo", "kubeletVersion")),
  wide("Internal-IP", nodeAddress("InternalIP")),
  wide("External-IP", nodeAddress("ExternalIP")),
  wide("OS-Image", known("status", "nodeInfo", "osImage")),
  wide("Kernel-Version", known("status", "nodeInfo", "kernelVersion")),
  wide("Container-Runtime", known("status", "nodeInfo", "containerRuntimeVersion")),
];

export const claimColumns = [
  nameColumn,
  column("Status", (claim) => (claim.metadata.deletionTimestamp ? "Terminating" : textIn(claim, "status", "phase"))),
  column("Volume", text("spec", "volumeName")),
  column("Capacity", (claim) =>
    textIn(claim, "spec", "volumeName") ? textIn(claim, "status", "capacity", "storage") : "",
  ),
  column("Access Modes", (claim) =>
    textIn(claim, "spec", "volumeName") ? accessModes(valueIn(claim, "status", "accessModes")) : "",
  ),
  column("StorageClass", text("spec", "storageClassName")),
  column("VolumeAttributesClass", unset("spec", "volumeAttributesClassName")),
  ageColumn,
  wide("VolumeMode", unset("spec", "volumeMode")),
];

export const volumeColumns = [
  nameColumn,
  column("Capacity", text("spec", "capacity", "storage")),
  column("Access Modes", (volume) => accessModes(valueIn(volume, "spec", "accessModes"))),
  column("Reclaim Policy", text("spec", "persistentVolumeReclaimPolicy")),
  column("Status", (volume) => (volume.metadata.deletionTimestamp ? "Terminating" : textIn(volume, "status", "phase"))),
  column("Claim", (volume) => {
    const { namespace, name } = objectIn(volume, "spec", "claimRef");
    return name ? `${namespace}/${name}` : "";
  }),
  column("StorageClass", text("spec", "storageClassName")),
  column("VolumeAttributesClass", unset("spec", "volumeAttributesClassName")),
  column("Reason", text("status", "reason")),
  ageColumn,
  wide("VolumeMode", unset("spec", "volumeMode")),
];

export const storageClassColumns = [
  {
    ...nameColumn,
    cell: ({ metadata }: KubeObject) => {
      const isDefault = metadata.annotations?.["storageclass.kubernetes.io/is-default-class"] === "true";
      return isDefault ? `${metadata.name} (default)` : metadata.name;
    },
  },
  column("Provisioner", text("provisioner")),
  column("ReclaimPolicy", text("reclaimPolicy")),
  column("VolumeBindingMode", text("volumeBindingMode")),
  column("AllowVolumeExpansion", (storageClass) => storageClass.allowVolumeExpansion === true),
  ageColumn,
];

export const eventColumns = [
  column("Last Seen", (event, now) => ageOf(lastSeen(event), now)),
  column("Type", text("type")),
  column("Reason", text("reason")),
  column(
    "Object",
    ({ involvedObject }) => `${textIn(involvedObject, "kind").toLowerCase()}/${textIn(involvedObject, "name")}`,
  ),
  wide("Subobject", text("involvedObject", "fieldPath")),
  wide("Source", (event) =>
    [textIn(event, "source", "component") || textIn(event, "reportingComponent"), textIn(event, "source", "host")]
      .filter(Boolean)
      .join(", "),
  ),
  column("Message", (event) => textIn(event, "message").trim()),
  wide("First Seen", (event, now) => ageOf(event.firstTimestamp ?? event.eventTime, now)),
  wide("Count", (event) => Math.max(1, numberIn(event, "series", "count"), numberIn(event, "count"))),
  { ...nameColumn, priority: 1 },
];

export const budgetColumns = [
  nameColumn,
  column("Min Available", (budget) => String(valueIn(budget, "spec", "minAvailable") ?? "N/A")),
  column("Max Unavailable", (budget) => String(valueIn(budget, "spec", "maxUnavailable") ?? "N/A")),
  column("Allowed Disruptions", (budget) => numberIn(budget, "status", "disruptionsAllowed"), "integer"),
  ageColumn,
];

export const bindingColumns = [
  nameColumn,
  column("Role", ({ roleRef }) => `${textIn(roleRef, "kind")}/${textIn(roleRef, "name")}`),
  ageColumn,
  subjects("Users", "User"),
  subjects("Groups", "Group"),
  subjects("ServiceAccounts", "ServiceAccount"),
];

export const priorityClassColumns = [
  nameColumn,
  column("Value", (priority) => numberIn(priority, "value"), "integer"),
  column("Global-Default", (priority) => priority.globalDefault === true, "boolean"),
  ageColumn,
  column("PreemptionPolicy", orNone("preemptionPolicy")),
];

function countAll(configMap: KubeObject): number {
  return count("data")(configMap) + count("binaryData")(configMap);
}

function nodeStatus(node: KubeObject): string {
  const ready = listIn(node, "status", "conditions").find(({ type }) => type === "Ready");
  const words = [ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown"];
  if (objectIn(node, "spec").unschedulable === true) words.push("SchedulingDisabled");
  return words.join(",");
}

const ROLE = "node-role.kubernetes.io/";

function nodeRoles({ metadata }: KubeObject): string {
  const roles = Object.keys(metadata.labels ?? {}).filter((label) => label.startsWith(ROLE));
  return (
    roles
      .map((label) => label.slice(ROLE.length))
      .sort()
      .join(",") || "<none>"
  );
}

function nodeAddress(wanted: string) {
  return (node: KubeObject) =>
    listIn(node, "status", "addresses").find(({ type }) => type === wanted)?.address ?? "<none>";
}

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(modes: unknown): string {
  return Array.isArray(modes) ? modes.map((mode) => MODES[String(mode)] ?? mode).join(",") : "";
}

function lastSeen(event: KubeObject): unknown {
  return valueIn(event, "series", "lastObservedTime") ?? event.lastTimestamp ?? event.firstTimestamp ?? event.eventTime;
}

function subjects(name: string, kind: string): Column {
  const shown = (subject: JsonObject) =>
    kind === "ServiceAccount" ? `${subject.namespace}/${subject.name}` : subject.name;
  return wide(name, (binding) =>
    listIn(binding, "subjects")
      .filter((subject) => subject.kind === kind)
      .map(shown)
      .join(", "),
  );
}
