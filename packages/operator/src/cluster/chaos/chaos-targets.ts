import { keyOf, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { ControllerContext } from "../../context/controller-context.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { ownersOf, type WatchedObjects } from "../watched-objects.ts";
import type { ChaosOptions } from "./chaos.ts";

type Targets = Pick<ChaosOptions<Stored<Pod>>, "pods" | "nameOf" | "kill">;

/** The members that chaos may kill: those of clusters that this operator manages, so that it replaces them. */
export function chaosTargets(
  watched: WatchedObjects,
  { client, scope, isLeading }: Pick<ControllerContext, "client" | "scope" | "isLeading">,
): Targets {
  const isTarget = (pod: Stored<Pod>) =>
    !pod.metadata.deletionTimestamp &&
    // Members stopped for a restore are not replaced.
    pod.metadata.annotations?.[ANNOTATIONS.fenced] === undefined &&
    ownersOf(pod, watched, scope.covers).length > 0;
  return {
    pods: () => (isLeading() ? watched.pods.cache.list().filter(isTarget) : []),
    nameOf: ({ metadata }) => keyOf(metadata),
    async kill({ metadata }, signal) {
      // Not 0, with which the pod would vanish while its process may still run, beside the one that replaces it.
      const gracePeriodSeconds = 1;
      await client.delete(resources.pods, metadata, {
        preconditions: { uid: metadata.uid },
        gracePeriodSeconds,
        signal,
      });
    },
  };
}
