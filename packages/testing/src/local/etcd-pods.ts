interface PodOptions {
  readonly version?: string;
  readonly names?: readonly string[];
  /** Claims by pod; an emptyDir where there is none. */
  readonly claims?: boolean;
}

const SERVICE = "etcd";
const peerUrl = (name: string) => `http://${name}.${SERVICE}.default.svc:2380`;

/** A cluster of etcd as written by hand: pods with fixed names behind a headless Service. */
export function handWrittenEtcd({
  version = "3.5.16",
  names = ["a", "b", "c"],
  claims = false,
}: PodOptions = {}): object[] {
  const cluster = names.map((name) => `${name}=${peerUrl(name)}`).join(",");
  return [
    headlessService(),
    ...names.flatMap((name) => [...(claims ? [claim(name)] : []), etcdPod(name, { version, cluster, claims })]),
  ];
}

export function etcdPod(
  name: string,
  { version, cluster, claims }: { version: string; cluster: string; claims: boolean },
): object {
  const command = [
    "/usr/local/bin/etcd",
    `--name=${name}`,
    "--data-dir=/var/etcd/data",
    "--listen-client-urls=http://0.0.0.0:2379",
    `--advertise-client-urls=http://${name}.${SERVICE}.default.svc:2379`,
    "--listen-peer-urls=http://0.0.0.0:2380",
    `--initial-advertise-peer-urls=${peerUrl(name)}`,
    `--initial-cluster=${cluster}`,
    "--initial-cluster-state=new",
  ];
  const data = claims ? { persistentVolumeClaim: { claimName: name } } : { emptyDir: {} };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: SERVICE } },
    spec: {
      hostname: name,
      subdomain: SERVICE,
      terminationGracePeriodSeconds: 5,
      containers: [
        {
          name: "etcd",
          image: `quay.io/coreos/etcd:v${version}`,
          command,
          volumeMounts: [{ name: "data", mountPath: "/var/etcd" }],
          readinessProbe: { httpGet: { path: "/health", port: 2379 }, periodSeconds: 1 },
        },
      ],
      volumes: [{ name: "data", ...data }],
    },
  };
}

function headlessService(): object {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: SERVICE, namespace: "default" },
    spec: {
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: { app: SERVICE },
      ports: [
        { name: "client", port: 2379 },
        { name: "peer", port: 2380 },
      ],
    },
  };
}

function claim(name: string): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  };
}
