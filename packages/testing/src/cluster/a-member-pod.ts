import type { Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { memberPod } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import type { Start } from "@etcd-operator/operator/cluster/objects/pod/start.ts";
import type { Pod, PodStatus } from "kubernetes-types/core/v1.d.ts";

export interface MemberPodGiven {
  readonly member: string;
  readonly status?: PodStatus;
  readonly start?: Start;
  readonly metadata?: Partial<Stored["metadata"]>;
}

/** For tests: the pod of a member as the API server has it, running at 10.0.0.1 unless the case says otherwise. */
export function aMemberPod(cluster: EtcdCluster, given: MemberPodGiven): Stored<Pod> {
  const { member, status = { phase: "Running", podIP: "10.0.0.1" } } = given;
  const pod = memberPod({
    cluster,
    member,
    version: { major: 3, minor: 5, patch: 30 },
    incarnation: 2,
    start: given.start ?? { kind: "joining", clusterId: "c1", peers: [] },
    guardImage: "etcd-operator:test",
  });
  const identity = {
    name: member,
    uid: `uid-of-${member}`,
    resourceVersion: "5",
    creationTimestamp: "2030-01-01T00:00:00Z",
  };
  return {
    ...pod,
    apiVersion: "v1",
    kind: "Pod",
    metadata: { ...pod.metadata, ...identity, ...given.metadata },
    status,
  };
}
