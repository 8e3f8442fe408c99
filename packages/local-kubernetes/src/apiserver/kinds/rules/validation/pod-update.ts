import { type Cause, forbidden, invalid } from "../../../crd/cause.ts";
import { type JsonObject, type KubeObject, listIn, objectIn, sameJson } from "../../../kube-object.ts";

/** What an update may not do: a pod is what it was made as, save what a running one can follow. */
export function podUpdateCauses(pod: KubeObject, old: KubeObject): Cause[] {
  const [spec, before] = [objectIn(pod, "spec"), objectIn(old, "spec")];
  const added = CONTAINER_LISTS.filter((field) => listIn(spec, field).length !== listIn(before, field).length);
  if (added[0]) return [forbidden(`spec.${added[0]}`, "pod updates may not add or remove containers")];
  return [...deadlineCauses(spec, before), ...tolerationCauses(spec, before), ...frozenCauses(spec, before)];
}

const CONTAINER_LISTS = ["containers", "initContainers"] as const;

const MAX_INT32 = 2 ** 31 - 1;

function deadlineCauses(spec: JsonObject, before: JsonObject): Cause[] {
  const path = "spec.activeDeadlineSeconds";
  const [now, earlier] = [spec.activeDeadlineSeconds, before.activeDeadlineSeconds];
  if (typeof now !== "number") {
    const isTakenBack = typeof earlier === "number";
    return isTakenBack ? [invalid(path, null, "must not update from a positive integer to nil value")] : [];
  }
  if (now < 0 || now > MAX_INT32) return [invalid(path, now, `must be between 0 and ${MAX_INT32}, inclusive`)];
  const isLater = typeof earlier === "number" && earlier < now;
  return isLater ? [invalid(path, now, "must be less than or equal to previous value")] : [];
}

function tolerationCauses(spec: JsonObject, before: JsonObject): Cause[] {
  const now = listIn(spec, "tolerations").map(withoutSeconds);
  const isKept = (toleration: JsonObject) => now.some((other) => sameJson(withoutSeconds(toleration), other));
  if (listIn(before, "tolerations").every(isKept)) return [];
  return [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

function withoutSeconds({ tolerationSeconds: _, ...rest }: JsonObject): JsonObject {
  return rest;
}

function frozenCauses(spec: JsonObject, before: JsonObject): Cause[] {
  if (sameJson(withOldValues(spec, before), before)) return [];
  return [
    forbidden(
      "spec",
      "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`," +
        "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations)," +
        "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    ),
  ];
}

/** The new spec, as if nothing had been changed that may be. */
function withOldValues(spec: JsonObject, before: JsonObject): JsonObject {
  const munged = structuredClone(spec);
  for (const field of CONTAINER_LISTS) {
    for (const [index, container] of listIn(munged, field).entries()) {
      const { image } = listIn(before, field)[index] ?? {};
      if (image !== undefined) container.image = image;
    }
  }
  for (const field of ["activeDeadlineSeconds", "tolerations"]) {
    if (before[field] === undefined) delete munged[field];
    else munged[field] = before[field];
  }
  return munged;
}
