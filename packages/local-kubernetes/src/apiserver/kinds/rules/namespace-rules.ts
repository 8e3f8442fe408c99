import { textIn, valueIn } from "../../kube-object.ts";
import type { KindRules } from "../resource.ts";
import { inside } from "./fill.ts";

const IMMORTAL: ReadonlySet<string> = new Set(["default", "kube-system", "kube-public"]);

/**
 * A namespace stays, Terminating, until the controller that empties it takes "kubernetes" out of spec.finalizers
 * through /finalize.
 */
export const namespaceRules: KindRules = {
  applyDefaults(namespace) {
    const labels = inside(namespace.metadata, "labels");
    // Generated names come later, so that this may still be missing.
    if (namespace.metadata.name) labels["kubernetes.io/metadata.name"] = namespace.metadata.name;
  },

  prepareCreate(namespace) {
    inside(namespace.metadata, "labels")["kubernetes.io/metadata.name"] = namespace.metadata.name;
    namespace.spec = { finalizers: ["kubernetes"] };
    namespace.status = { phase: "Active" };
  },

  prepareUpdate(namespace, old) {
    namespace.spec = old.spec;
  },

  prepareDelete(namespace) {
    inside(namespace, "status").phase = "Terminating";
    // It waits for what is in it, not for a time.
    delete namespace.metadata.deletionGracePeriodSeconds;
  },

  refuseDelete: ({ metadata }) => (IMMORTAL.has(metadata.name ?? "") ? "this namespace may not be deleted" : undefined),

  isHeld(namespace) {
    const finalizers = valueIn(namespace, "spec", "finalizers");
    return Array.isArray(finalizers) && finalizers.length > 0;
  },
};

export function isTerminating(namespace: unknown): boolean {
  return textIn(namespace, "metadata", "deletionTimestamp") !== "";
}
