import { quantityValue } from "../../../quantity.ts";
import { type Cause, forbidden, invalid, required } from "../../crd/cause.ts";
import { isObject, type JsonObject, type KubeObject, objectIn, sameJson, textIn } from "../../kube-object.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";
import { oneOf } from "./pod-validation.ts";

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
    ...(Array.isArray(objectIn(claim, "spec").accessModes)
      ? []
      : [required("spec.accessModes", "at least 1 access mode is required")]),
    ...(objectIn(claim, "spec", "resources", "requests").storage ? [] : [required("spec.resources[storage]")]),
    ...(old ? claimUpdateCauses(claim, old) : []),
  ],
};

// The controllers take it off when nobody uses the volume any more.
function protect({ metadata }: KubeObject, finalizer: string): void {
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}

function claimUpdateCauses(claim: KubeObject, old: KubeObject): Cause[] {
  const before = objectIn(old, "spec");
  const fixed = ({ resources: _, volumeAttributesClassName: __, volumeName, ...rest }: JsonObject) => ({
    ...rest,
    // Whoever binds the claim writes it, once.
    ...(before.volumeName !== undefined && { volumeName }),
    ...(before.storageClassName === undefined && { storageClassName: undefined }),
  });
  if (sameJson(fixed(objectIn(claim, "spec")), fixed(before))) return shrinkCauses(claim, old);
  const why =
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
  return [forbidden("spec", why)];
}

function shrinkCauses(claim: KubeObject, old: KubeObject): Cause[] {
  const wanted = quantityValue(textIn(objectIn(claim, "spec", "resources", "requests"), "storage"));
  const before = quantityValue(textIn(objectIn(old, "spec", "resources", "requests"), "storage"));
  const capacity = quantityValue(textIn(objectIn(old, "status", "capacity"), "storage"));
  // A claim may be bound to a larger volume than it asked for; an expansion that did not happen may be taken back.
  if (wanted >= before || wanted >= capacity) return [];
  return [forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")];
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

  validate: (volume) => [
    ...(Array.isArray(objectIn(volume, "spec").accessModes) ? [] : [required("spec.accessModes")]),
    ...(objectIn(volume, "spec", "capacity").storage ? [] : [required("spec.capacity")]),
  ],
};

export const storageClassRules: KindRules = {
  applyDefaults: (storageClass) => fill(storageClass, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),

  validate: (storageClass, old) => [
    ...(textIn(storageClass, "provisioner") === "" ? [required("provisioner")] : []),
    ...oneOf("reclaimPolicy", storageClass.reclaimPolicy, ["Delete", "Retain"]),
    ...oneOf("volumeBindingMode", storageClass.volumeBindingMode, ["Immediate", "WaitForFirstConsumer"]),
    ...(old && !sameJson(storageClass.parameters, old.parameters)
      ? [forbidden("parameters", "updates to parameters are forbidden.")]
      : []),
    ...(old && storageClass.provisioner !== old.provisioner
      ? [forbidden("provisioner", "updates to provisioner are forbidden.")]
      : []),
    ...(old && storageClass.volumeBindingMode !== old.volumeBindingMode
      ? [invalid("volumeBindingMode", storageClass.volumeBindingMode, "field is immutable")]
      : []),
  ],
};
