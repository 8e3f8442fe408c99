import type { KubeObject } from "@etcd-operator/kubernetes-client";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";

/** What a mutating webhook makes of an object that is written; what it leaves as it is, it gives back as it is. */
export type Mutation = (plural: string, object: KubeObject) => KubeObject;

export interface Webhook {
  readonly name: string;
  readonly onCreate: Mutation;
  readonly onUpdate?: Mutation;
  /**
   * A member whose image it changes for the first time is restarted for that by its kubelet, whatever the operator
   * does.
   */
  readonly restarts?: true;
}

export const onPods =
  (change: (pod: Pod) => Pod): Mutation =>
  (plural, object) =>
    plural === "pods" ? (change(object as Pod) as KubeObject) : object;

/** One after the other, as the API server calls webhooks. */
export function allOf(...mutations: readonly Mutation[]): Mutation {
  return (plural, object) => mutations.reduce((made, mutation) => mutation(plural, made), object);
}

/** For all containers of a pod, those that run before the others included. */
export function withContainers(pod: Pod, change: (container: Container) => Container): Pod {
  const { containers = [], initContainers } = pod.spec ?? {};
  const changed = {
    containers: containers.map(change),
    ...(initContainers && { initContainers: initContainers.map(change) }),
  };
  return { ...pod, spec: { ...pod.spec, ...changed } };
}
