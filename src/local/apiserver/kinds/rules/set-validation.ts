import { type Cause, forbidden, invalid, notSupported, required } from "../../crd/cause.ts";
import { type JsonObject, type KubeObject, objectIn, sameJson } from "../../kube-object.ts";
import { negativeCauses } from "./number-validation.ts";
import { oneOf } from "./pod-validation.ts";

const CHANGEABLE = [
  "replicas",
  "ordinals",
  "template",
  "updateStrategy",
  "revisionHistoryLimit",
  "persistentVolumeClaimRetentionPolicy",
  "minReadySeconds",
];

/** What is wrong with a StatefulSet, apart from its template. */
export function statefulSetCauses(spec: JsonObject): Cause[] {
  const { type, rollingUpdate } = objectIn(spec, "updateStrategy");
  const { podManagementPolicy } = spec;
  const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
  const policy = "spec.persistentVolumeClaimRetentionPolicy";
  const { whenDeleted, whenScaled } = objectIn(spec, "persistentVolumeClaimRetentionPolicy");
  return [
    ...(podManagementPolicy === "OrderedReady" || podManagementPolicy === "Parallel"
      ? []
      : [invalid("spec.podManagementPolicy", podManagementPolicy, "must be 'OrderedReady' or 'Parallel'")]),
    ...(type === "RollingUpdate" || type === "OnDelete"
      ? []
      : [invalid("spec.updateStrategy", shown, "must be 'RollingUpdate' or 'OnDelete'")]),
    ...negativeCauses(objectIn(spec, "updateStrategy", "rollingUpdate"), "spec.updateStrategy.rollingUpdate", [
      "partition",
    ]),
    ...oneOf(`${policy}.whenDeleted`, whenDeleted, ["Retain", "Delete"]),
    ...oneOf(`${policy}.whenScaled`, whenScaled, ["Retain", "Delete"]),
    ...negativeCauses(spec, "spec", ["replicas", "minReadySeconds"]),
    ...negativeCauses(objectIn(spec, "ordinals"), "spec.ordinals", ["start"]),
  ];
}

/** What a StatefulSet may not change. */
export function statefulSetUpdateCauses(object: KubeObject, old: KubeObject): Cause[] {
  const rest = (of: KubeObject) =>
    Object.fromEntries(Object.entries(objectIn(of, "spec")).filter(([field]) => !CHANGEABLE.includes(field)));
  if (sameJson(rest(object), rest(old))) return [];
  const named = CHANGEABLE.map((field) => `'${field}'`);
  const fields = `${named.slice(0, -1).join(", ")} and ${named.at(-1)}`;
  return [forbidden("spec", `updates to statefulset spec for fields other than ${fields} are forbidden`)];
}

/** What is wrong with a DaemonSet, apart from its template. */
export function daemonSetCauses(spec: JsonObject): Cause[] {
  const { type, rollingUpdate } = objectIn(spec, "updateStrategy");
  const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
  return [
    ...negativeCauses(spec, "spec", ["minReadySeconds", "revisionHistoryLimit"]),
    ...(type === "RollingUpdate" || type === "OnDelete"
      ? []
      : [notSupported("spec.updateStrategy", shown, ["RollingUpdate", "OnDelete"])]),
    ...(type === "RollingUpdate" ? rollingCauses(objectIn(spec, "updateStrategy", "rollingUpdate")) : []),
  ];
}

function rollingCauses({ maxUnavailable, maxSurge }: JsonObject): Cause[] {
  const path = "spec.updateStrategy.rollingUpdate";
  const count = (value: unknown) => Number.parseInt(String(value ?? 0), 10);
  const isTooMuch = (value: unknown) => typeof value === "string" && count(value) > 100;
  const most = (field: string, value: unknown) =>
    isTooMuch(value) ? [invalid(`${path}.${field}`, value, "must not be greater than 100%")] : [];
  return [
    ...(count(maxUnavailable) > 0 && count(maxSurge) > 0
      ? [invalid(`${path}.maxSurge`, maxSurge, "may not be set when maxUnavailable is non-zero")]
      : []),
    ...(count(maxUnavailable) === 0 && count(maxSurge) === 0
      ? [required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0")]
      : []),
    ...most("maxUnavailable", maxUnavailable),
    ...most("maxSurge", maxSurge),
  ];
}
