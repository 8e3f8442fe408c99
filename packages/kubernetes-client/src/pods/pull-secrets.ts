import type { LocalObjectReference, PodSpec } from "kubernetes-types/core/v1.d.ts";

/**
 * What a pod's images are pulled with: all that is given, each once. Without any, those of its ServiceAccount are used.
 */
export function pullSecrets(
  ...given: readonly (readonly LocalObjectReference[] | undefined)[]
): Pick<PodSpec, "imagePullSecrets"> {
  const names = new Set(given.flatMap((each = []) => each.flatMap(({ name }) => name ?? [])));
  return names.size > 0 ? { imagePullSecrets: [...names].map((name) => ({ name })) } : {};
}
