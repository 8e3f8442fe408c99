import { defined } from "@etcd-operator/kubernetes-client";
import type { Container, EnvVar } from "kubernetes-types/core/v1.d.ts";
import type { EtcdClusterSpec } from "../../../api/etcd-cluster.ts";
import { GUARD_VARIABLES } from "../../guard/variables.ts";
import { ANNOTATIONS } from "../annotations.ts";
import { DATA_DIR } from "./etcd-command.ts";
import { containerSecurity } from "./security.ts";
import type { Start } from "./start.ts";

/** By this name its state is found in the status of a pod. */
export const GUARD_CONTAINER = "guard";

/** The init container that refuses to let etcd start on a directory that is not this member's. */
export function guardContainer(spec: EtcdClusterSpec, start: Start, image: string, mountPath: string): Container {
  const { requests, limits } = spec.pod?.resources ?? {};
  return defined<Container>({
    name: GUARD_CONTAINER,
    image,
    imagePullPolicy: spec.pod?.imagePullPolicy,
    command: ["etcd-guard", DATA_DIR],
    env: [
      { name: GUARD_VARIABLES.start, value: start.kind },
      // Read when the container starts, so what was written on the pod since it was made counts too.
      fromPod(GUARD_VARIABLES.memberId, `metadata.annotations['${ANNOTATIONS.memberId}']`),
      fromPod(GUARD_VARIABLES.clusterId, `metadata.annotations['${ANNOTATIONS.clusterId}']`),
      fromPod(GUARD_VARIABLES.podUid, "metadata.uid"),
      fromPod(GUARD_VARIABLES.logReached, `metadata.annotations['${ANNOTATIONS.logReached}']`),
    ],
    volumeMounts: [{ name: "etcd-data", mountPath }],
    // The same as etcd's: so a pod of the class Guaranteed stays one, and it costs nothing, for they never run
    // together.
    resources: requests || limits ? defined({ requests, limits }) : undefined,
    securityContext: containerSecurity(spec),
    // What it says on the way out becomes the message in the status of the pod.
    terminationMessagePolicy: "FallbackToLogsOnError",
  });
}

function fromPod(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
