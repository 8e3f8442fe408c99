import type { OwnerReference } from "kubernetes-types/meta/v1.d.ts";
import { FOREGROUND, type GraphNode, isWaitingForDependents, ORPHAN } from "./ownership-graph.ts";

/** What is known of an owner; "unknown" when its kind is, and then nothing is done that counts on its absence. */
export type OwnerState = "present" | "absent" | "waiting-for-dependents" | "unknown";

export interface GarbageScene {
  readonly node: GraphNode;
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
  readonly dependents: readonly GraphNode[];
}

export type GarbageAction =
  | { readonly kind: "none" }
  | { readonly kind: "delete"; readonly propagationPolicy: "Background" | "Foreground" | "Orphan" }
  /** It still has another owner: it only forgets these. */
  | { readonly kind: "forget-owners"; readonly uids: readonly string[] }
  | { readonly kind: "orphan-dependents"; readonly dependents: readonly GraphNode[] }
  | { readonly kind: "delete-dependents"; readonly dependents: readonly GraphNode[] }
  | { readonly kind: "remove-finalizer"; readonly finalizer: string };

/** What the garbage collector does about one object. */
export function decideGarbage({ node, owners, dependents }: GarbageScene): GarbageAction {
  if (node.isGoing) return whileGoing(node, dependents);
  if (owners.length === 0) return { kind: "none" };

  const lost = owners.filter(({ state }) => state === "absent" || state === "waiting-for-dependents");
  if (lost.length < owners.length) {
    const uids = lost.map(({ reference }) => reference.uid);
    return uids.length > 0 ? { kind: "forget-owners", uids } : { kind: "none" };
  }
  const isWaitedFor = owners.some(({ state }) => state === "waiting-for-dependents");
  return { kind: "delete", propagationPolicy: policy(node, isWaitedFor && dependents.length > 0) };
}

function whileGoing(node: GraphNode, dependents: readonly GraphNode[]): GarbageAction {
  if (node.finalizers.includes(ORPHAN)) {
    return dependents.length > 0
      ? { kind: "orphan-dependents", dependents }
      : { kind: "remove-finalizer", finalizer: ORPHAN };
  }
  if (!isWaitingForDependents(node)) return { kind: "none" };
  const isBlocked = dependents.some(({ owners }) =>
    owners.some(({ uid, blockOwnerDeletion }) => uid === node.uid && blockOwnerDeletion),
  );
  return isBlocked ? { kind: "delete-dependents", dependents } : { kind: "remove-finalizer", finalizer: FOREGROUND };
}

/** Whose owner waits for it must in turn wait for its own dependents, or the owner would be gone before those. */
function policy({ finalizers }: GraphNode, mustWait: boolean): "Background" | "Foreground" | "Orphan" {
  if (mustWait || finalizers.includes(FOREGROUND)) return "Foreground";
  return finalizers.includes(ORPHAN) ? "Orphan" : "Background";
}
