import { podTrouble as troubleOf } from "@etcd-operator/kubernetes-client";
import type { ContainerState, ContainerStatus, Pod } from "kubernetes-types/core/v1.d.ts";
import { replacedContainerId } from "./etcd-container.ts";

/** Why a pod of a member does not run as it should; undefined when no trouble is reported. */
export function podTrouble(pod: Pod): string | undefined {
  const containers = pod.status?.containerStatuses?.map((container) => unlessReplaced(container, pod));
  return troubleOf({ ...pod, status: { ...pod.status, ...(containers && { containerStatuses: containers }) } });
}

/** The kubelet ended a container because its pod got another image: that says nothing about the containers after it. */
function unlessReplaced(container: ContainerStatus, pod: Pod): ContainerStatus {
  const replaced = replacedContainerId(pod);
  const isReplaced = (state: ContainerState | undefined) =>
    replaced !== undefined && state?.terminated?.containerID === replaced;
  const { state, lastState, ...rest } = container;
  return { ...rest, ...(!isReplaced(state) && { state }), ...(!isReplaced(lastState) && { lastState }) };
}
