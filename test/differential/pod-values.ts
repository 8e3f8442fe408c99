import type { Draw } from "./draw.ts";
import type { Json } from "./request.ts";

/** The spec of a pod that nobody schedules. */
export function podSpec(draw: Draw): Json {
  const volumes = volumesOf(draw);
  return {
    containers: [container(draw, "main", volumes), ...(draw.chance(0.15) ? [container(draw, "side", volumes)] : [])],
    schedulerName: "nobody",
    ...(draw.chance(0.15) && { initContainers: [container(draw, "first", volumes)] }),
    ...(volumes.length > 0 && { volumes }),
    ...(draw.chance(0.2) && { restartPolicy: draw.of(["Always", "Never", "OnFailure"]) }),
    ...(draw.chance(0.2) && { terminationGracePeriodSeconds: draw.of([0, 5]) }),
    ...(draw.chance(0.1) && { nodeSelector: { disk: "ssd" } }),
    ...(draw.chance(0.1) && { hostname: "h", subdomain: "s" }),
    ...(draw.chance(0.1) && { automountServiceAccountToken: false }),
    ...(draw.chance(0.1) && { tolerations: [{ key: "a", operator: "Exists" }] }),
    ...(draw.chance(0.1) && { securityContext: { runAsUser: 1000, fsGroup: 2000 } }),
    ...(draw.chance(0.1) && { affinity: antiAffinity }),
  };
}

export function podTemplate(draw: Draw): Json {
  const { restartPolicy: _, ...spec } = podSpec(draw);
  return { metadata: { labels: { app: "a" } }, spec };
}

const antiAffinity = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app: "a" } }, topologyKey: "kubernetes.io/hostname" },
    ],
  },
};

function container(draw: Draw, name: string, volumes: readonly Json[]): Json {
  return {
    name,
    image: draw.of(["busybox", "etcd:v3.5.16", "example.com/a/b:latest"]),
    ...(draw.chance(0.4) && { command: ["sleep", "1"] }),
    ...(draw.chance(0.3) && { env: [envVariable(draw)] }),
    ...(draw.chance(0.3) && { ports: [{ containerPort: 80, ...(draw.chance(0.5) && { name: "http" }) }] }),
    ...(draw.chance(0.3) && { resources: resources(draw) }),
    ...(draw.chance(0.2) && name !== "first" && { readinessProbe: probe(draw) }),
    ...(draw.chance(0.1) && name !== "first" && { livenessProbe: probe(draw) }),
    ...(draw.chance(0.1) && { securityContext: { runAsNonRoot: true, readOnlyRootFilesystem: true } }),
    ...(draw.chance(0.1) && { imagePullPolicy: draw.of(["Always", "Never"]) }),
    ...(volumes.length > 0 && { volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/${name}` })) }),
  };
}

function envVariable(draw: Draw): Json {
  return draw.of<Json>([
    { name: "A", value: "b" },
    { name: "A", value: "" },
    { name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
    { name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } },
    { name: "A", valueFrom: { configMapKeyRef: { name: "s", key: "k", optional: true } } },
  ]);
}

function probe(draw: Draw): Json {
  const action = draw.of<Json>([
    { httpGet: { path: "/health", port: 80 } },
    { tcpSocket: { port: "http" } },
    { exec: { command: ["true"] } },
  ]);
  return { ...action, ...(draw.chance(0.5) && { periodSeconds: draw.between(1, 5) }) };
}

function resources(draw: Draw): Json {
  const cpu = draw.of<unknown>(["100m", "0.5", 1, "1500m"]);
  const memory = draw.of(["64Mi", "1Gi", "1.5Gi", "128974848"]);
  return draw.of<Json>([
    { requests: { cpu, memory } },
    { limits: { cpu, memory } },
    { requests: { cpu: "50m" }, limits: { cpu: "2" } },
  ]);
}

function volumesOf(draw: Draw): Json[] {
  if (!draw.chance(0.3)) return [];
  return [
    draw.of<Json>([
      { name: "data", emptyDir: {} },
      { name: "data", secret: { secretName: "s" } },
      { name: "data", configMap: { name: "c", items: [{ key: "a", path: "b" }] } },
      { name: "data", persistentVolumeClaim: { claimName: "p" } },
      { name: "data", hostPath: { path: "/tmp" } },
      { name: "data", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
      { name: "data", projected: { sources: [{ secret: { name: "s" } }] } },
    ]),
  ];
}
