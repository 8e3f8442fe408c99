import { quantityValue } from "../../../quantity.ts";
import { forbidden as refused } from "../../api-error.ts";
import { type Cause, forbidden, invalid, notSupported, required } from "../../crd/cause.ts";
import { isObject, type JsonObject, type KubeObject, objectIn, sameJson, textIn } from "../../kube-object.ts";
import { nameErrors, qualifiedNameErrors } from "../../meta/names.ts";
import { timestamp } from "../../meta/timestamp.ts";
import type { Admission } from "../admission.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";
import { oneOf } from "./validation/pod-validation.ts";

const DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class";

export const claimRules: KindRules = {
  applyDefaults(claim) {
    fill(inside(claim, "spec"), { volumeMode: "Filesystem" });
    fill(claim, { status: { phase: "Pending" } });
  },

  prepareCreate: (claim) => {
    protect(claim, "kubernetes.io/pvc-protection");
    claim.status = { phase: "Pending" };
  },

  async admit(claim, admission, old) {
    const spec = inside(claim, "spec");
    if (old || spec.storageClassName !== undefined) return;
    const classes = await admission.list("storage.k8s.io", "storageclasses");
    const byDefault = classes.find(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === "true");
    if (byDefault) spec.storageClassName = byDefault.metadata.name;
  },

  validate: (claim, old) => [
    ...accessModeCauses(objectIn(claim, "spec"), required("spec.accessModes", "at least 1 access mode is required")),
    ...sizeCauses(textIn(claim, "spec", "resources", "requests", "storage")),
    ...classCauses(textIn(claim, "spec", "storageClassName")),
    ...oneOf("spec.volumeMode", objectIn(claim, "spec").volumeMode, ["Block", "Filesystem"]),
    ...(old ? claimUpdateCauses(claim, old) : []),
  ],

  permitUpdate: permitExpansion,
};

// The controllers take it off when the volume is not used any more.
function protect({ metadata }: KubeObject, finalizer: string): void {
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}

function classCauses(name: string): Cause[] {
  if (name === "") return [];
  return nameErrors("subdomain", name).map((error) => invalid("spec.storageClassName", name, error));
}

function sizeCauses(size: string): Cause[] {
  const path = "spec.resources[storage]";
  if (size === "") return [required(path)];
  return quantityValue(size) > 0 ? [] : [invalid(path, size, "must be greater than zero")];
}

function claimUpdateCauses(claim: KubeObject, old: KubeObject): Cause[] {
  const before = objectIn(old, "spec");
  const isBound = textIn(claim, "status", "phase") === "Bound";
  const fixed = (spec: JsonObject) => ({
    ...spec,
    // The controller that binds the claim writes it, once.
    ...(before.volumeName === undefined && { volumeName: undefined }),
    ...(before.storageClassName === undefined && { storageClassName: undefined }),
    ...(isBound && { resources: withoutSize(spec), volumeAttributesClassName: undefined }),
  });
  const why =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  const isSame = sameJson(fixed(objectIn(claim, "spec")), fixed(before));
  return [...(isSame ? [] : [forbidden("spec", why)]), ...shrinkCauses(claim, old)];
}

function withoutSize(spec: JsonObject): JsonObject {
  const resources = objectIn(spec, "resources");
  return { ...resources, requests: { ...objectIn(resources, "requests"), storage: undefined } };
}

function shrinkCauses(claim: KubeObject, old: KubeObject): Cause[] {
  const capacity = quantityValue(textIn(old, "status", "capacity", "storage"));
  // An expansion that has not happened may be made smaller, but not taken back.
  if (sizeOf(claim) >= sizeOf(old) || sizeOf(claim) > capacity) return [];
  return [forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")];
}

async function permitExpansion(claim: KubeObject, old: KubeObject, admission: Admission): Promise<void> {
  if (sizeOf(claim) <= sizeOf(old)) return;
  const name = textIn(claim, "spec", "storageClassName");
  const storageClass = name === "" ? undefined : await admission.find("storage.k8s.io", "storageclasses", name);
  if (storageClass?.allowVolumeExpansion === true) return;
  const why =
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize";
  throw refused({ group: "", plural: "persistentvolumeclaims" }, claim.metadata.name ?? "", why);
}

function sizeOf(claim: KubeObject): number {
  return quantityValue(textIn(claim, "spec", "resources", "requests", "storage"));
}

export const volumeRules: KindRules = {
  applyDefaults(volume) {
    const spec = inside(volume, "spec");
    fill(spec, { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" });
    if (isObject(spec.hostPath)) fill(spec.hostPath, { type: "" });
    fill(volume, { status: { phase: "Pending" } });
  },

  prepareCreate: (volume) => {
    protect(volume, "kubernetes.io/pv-protection");
    volume.status = { phase: "Pending" };
  },

  async admit(volume, admission, old) {
    if (old && textIn(old, "status", "phase") === textIn(volume, "status", "phase")) return;
    inside(volume, "status").lastPhaseTransitionTime = timestamp(admission.now());
  },

  validate: volumeCauses,
};

function volumeCauses(volume: KubeObject, old?: KubeObject): Cause[] {
  const spec = objectIn(volume, "spec");
  return [
    ...accessModeCauses(spec, required("spec.accessModes")),
    ...capacityCauses(spec.capacity),
    ...(Object.keys(sourceOf(spec)).length > 0 ? [] : [required("spec", "must specify a volume type")]),
    ...(isObject(spec.hostPath) && !spec.hostPath.path ? [required("spec.hostPath.path")] : []),
    ...oneOf("spec.persistentVolumeReclaimPolicy", spec.persistentVolumeReclaimPolicy, ["Delete", "Recycle", "Retain"]),
    ...oneOf("spec.volumeMode", spec.volumeMode, ["Block", "Filesystem"]),
    ...(old && !sameJson(sourceOf(spec), sourceOf(objectIn(old, "spec")))
      ? [forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")]
      : []),
  ];
}

function capacityCauses(capacity: unknown): Cause[] {
  const size = textIn(capacity, "storage");
  const isWhole = isObject(capacity) && size !== "" && Object.keys(capacity).length === 1;
  const path = "spec.capacity[storage]";
  return [
    ...(isObject(capacity) ? [] : [required("spec.capacity")]),
    ...(isWhole ? [] : [notSupported("spec.capacity", capacity ?? null, ["storage"])]),
    ...(isWhole && quantityValue(size) <= 0 ? [invalid(path, size, "must be greater than zero")] : []),
  ];
}

const ACCESS_MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

function accessModeCauses({ accessModes }: JsonObject, missing: Cause): Cause[] {
  if (!Array.isArray(accessModes)) return [missing];
  return accessModes
    .filter((mode) => !ACCESS_MODES.includes(String(mode)))
    .map((mode) => notSupported("spec.accessModes", mode, ACCESS_MODES));
}

const NOT_A_SOURCE: ReadonlySet<string> = new Set([
  ...["accessModes", "capacity", "claimRef", "mountOptions", "nodeAffinity", "persistentVolumeReclaimPolicy"],
  ...["storageClassName", "volumeAttributesClassName", "volumeMode"],
]);

/** Where the data lies: the one field that is not about something else. */
function sourceOf(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([field]) => !NOT_A_SOURCE.has(field)));
}

export const storageClassRules: KindRules = {
  applyDefaults: (storageClass) => fill(storageClass, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),

  validate: (storageClass, old) => [
    ...provisionerCauses(textIn(storageClass, "provisioner")),
    ...oneOf("reclaimPolicy", storageClass.reclaimPolicy, ["Delete", "Retain"]),
    ...oneOf("volumeBindingMode", storageClass.volumeBindingMode, ["Immediate", "WaitForFirstConsumer"]),
    ...(old && !sameJson(storageClass.parameters, old.parameters)
      ? [forbidden("parameters", "updates to parameters are forbidden.")]
      : []),
    ...(old && storageClass.provisioner !== old.provisioner
      ? [forbidden("provisioner", "updates to provisioner are forbidden.")]
      : []),
    ...(old && storageClass.reclaimPolicy !== old.reclaimPolicy
      ? [forbidden("reclaimPolicy", "updates to reclaimPolicy are forbidden.")]
      : []),
    ...(old && storageClass.volumeBindingMode !== old.volumeBindingMode
      ? [invalid("volumeBindingMode", storageClass.volumeBindingMode, "field is immutable")]
      : []),
  ],
};

function provisionerCauses(provisioner: string): Cause[] {
  if (provisioner === "") return [required("provisioner")];
  return qualifiedNameErrors(provisioner.toLowerCase()).map((error) => invalid("provisioner", provisioner, error));
}
