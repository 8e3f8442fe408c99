import type { Pod } from "kubernetes-types/core/v1.d.ts";

export const NAMESPACE = "default";

/** A pod of one process that needs nothing. */
export function sleepingPod(name: string): Pod {
  return {
    metadata: { name, namespace: NAMESPACE },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "main", image: "busybox", command: ["sleep", "100000"] }],
    },
  };
}
