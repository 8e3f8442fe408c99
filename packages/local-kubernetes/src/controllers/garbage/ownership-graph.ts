import type { KubeObject, ObjectRef, Resource, Stored } from "@etcd-operator/kubernetes-client";
import type { OwnerReference } from "kubernetes-types/meta/v1.d.ts";

export const ORPHAN = "orphan";
export const FOREGROUND = "foregroundDeletion";

/** As much of an object as its end depends on. */
export interface GraphNode {
  readonly uid: string;
  readonly resource: Resource;
  readonly ref: ObjectRef;
  readonly owners: readonly OwnerReference[];
  readonly isGoing: boolean;
  readonly finalizers: readonly string[];
}

export function nodeOf(resource: Resource, { metadata }: Stored<KubeObject>): GraphNode {
  const { uid, name, namespace, ownerReferences, deletionTimestamp, finalizers } = metadata;
  return {
    uid,
    resource,
    ref: { namespace, name },
    owners: ownerReferences ?? [],
    isGoing: deletionTimestamp !== undefined,
    finalizers: finalizers ?? [],
  };
}

/** Whether an object stays until its dependents are gone. */
export function isWaitingForDependents({ isGoing, finalizers }: GraphNode): boolean {
  return isGoing && finalizers.includes(FOREGROUND);
}

/** Who owns whom, by uid. */
export class OwnershipGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>();

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#nodes.get(dependent) ?? []);
  }

  set(node: GraphNode): void {
    this.remove(node.uid);
    this.#nodes.set(node.uid, node);
    for (const { uid } of node.owners) {
      const dependents = this.#dependents.get(uid) ?? new Set();
      this.#dependents.set(uid, dependents.add(node.uid));
    }
  }

  remove(uid: string): void {
    for (const owner of this.#nodes.get(uid)?.owners ?? []) {
      const dependents = this.#dependents.get(owner.uid);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner.uid);
    }
    this.#nodes.delete(uid);
  }
}
