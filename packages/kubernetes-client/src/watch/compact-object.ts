import type { KubeObject, Stored } from "../requests/kube-object.ts";
import { withoutManagedFields } from "./informer.ts";
import { sharedWith } from "./shared-parts.ts";

/**
 * A transform that keeps little. Objects of a kind are much alike, an object and its next state still more, and cached
 * objects are never changed: so they share what is equal in them, which is most of a pod.
 */
export function compactObject<T extends KubeObject>(object: Stored<T>, like: Stored<T> | undefined): Stored<T> {
  return sharedWith(withoutManagedFields(object), like);
}
