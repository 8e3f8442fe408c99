import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { NAMESPACE } from "./contestant.ts";

/** A pod as large as one that an operator writes, which nobody will ever run. */
export function unscheduledPod(name: string): Pod {
  const probe = { httpGet: { path: "/health", port: 2381, scheme: "HTTP" }, periodSeconds: 5, failureThreshold: 3 };
  return {
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { app: "etcd", etcd_cluster: "example", etcd_node: name },
      annotations: { "etcd.version": "3.5.16" },
    },
    spec: {
      schedulerName: "nobody",
      hostname: name,
      subdomain: "example",
      containers: [
        {
          name: "etcd",
          image: "quay.io/coreos/etcd:v3.5.16",
          command: ["/usr/local/bin/etcd", `--name=${name}`, "--data-dir=/var/etcd/data"],
          env: [{ name: "POD_IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }],
          ports: [
            { name: "client", containerPort: 2379 },
            { name: "peer", containerPort: 2380 },
          ],
          resources: { requests: { cpu: "100m", memory: "128Mi" } },
          livenessProbe: probe,
          readinessProbe: probe,
          volumeMounts: [{ name: "data", mountPath: "/var/etcd" }],
        },
      ],
      volumes: [{ name: "data", emptyDir: {} }],
    },
  };
}
