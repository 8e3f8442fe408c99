import { keyOf, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { ControllerContext } from "../../context/controller-context.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { ownersOf, type WatchedObjects } from "../watched-objects.ts";
import type { ChaosOptions } from "./chaos.ts";

type Targets = Pick<ChaosOptions<Stored<Pod>>, "pods" | "nameOf" | "kill">;

/** Whom chaos may kill: members of clusters that this operator looks after, so that somebody puts it right. */
export function chaosTargets(
  watched: WatchedObjects,
  { client, scope, isLeading }: Pick<ControllerContext, "client" | "scope" | "isLeading">,
): Targets {
  const isTarget = (pod: Stored<Pod>) =>
    !pod.metadata.deletionTimestamp &&
    // What was stopped for a restore is nobody's to put right.
    pod.metadata.annotations?.[ANNOTATIONS.fenced] === undefined &&
    ownersOf(pod, watched, scope.covers).length > 0;
  return {
    pods: () => (isLeading() ? watched.pods.cache.list().filter(isTarget) : []),
    nameOf: ({ metadata }) => keyOf(metadata),
    async kill({ metadata }, signal) {
      // Not 0, with which the pod would vanish while its process may still run, beside the one that takes its place.
      const gracePeriodSeconds = 1;
      await client.delete(resources.pods, metadata, {
        preconditions: { uid: metadata.uid },
        gracePeriodSeconds,
        signal,
      });
    },
  };
}
