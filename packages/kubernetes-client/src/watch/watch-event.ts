import { errorOfStatus } from "../requests/answer-error.ts";
import type { KubeObject, Stored } from "../requests/kube-object.ts";
import { KubernetesError } from "../requests/kubernetes-error.ts";

export type WatchEvent<T extends KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Stored<T> }
  /** All that happened up to this version has been told. */
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string };

/** Up to where everything has been told with this event. */
export function versionOf<T extends KubeObject>(event: WatchEvent<T>): string {
  return event.type === "BOOKMARK" ? event.resourceVersion : event.object.metadata.resourceVersion;
}

/** Reads a line of a watch; throws what it says went wrong. */
export function eventOf<T extends KubeObject>(operation: string, line: unknown): WatchEvent<T> {
  const { type, object } = line as { type: string; object: Stored<T> };
  switch (type) {
    case "ADDED":
    case "MODIFIED":
    case "DELETED":
      return { type, object };
    case "BOOKMARK":
      return { type, resourceVersion: object.metadata.resourceVersion };
    case "ERROR":
      throw errorOfStatus(operation, object as object);
    default:
      throw new KubernetesError("unknown", { operation, message: `an event of the unknown type '${type}'` });
  }
}
