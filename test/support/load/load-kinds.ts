/** What of a kind is written, and how. */
export interface LoadKind {
  readonly plural: string;
  /** Such as "/api/v1". */
  readonly root: string;
  /** Of a hundred writes. */
  readonly share: number;
  /** How many objects there are on average. */
  readonly population: number;
  body(name: string, app: string, version: string, serial: number): string;
  /** Whether a deletion marks an object before it takes it away, as of those that may have a grace period. */
  readonly isMarkedFirst?: boolean;
  /** How an object is changed; a PUT sends `body` with the resourceVersion that is known. */
  readonly change: "put" | { readonly type: string; readonly path: string; patch(app: string, serial: number): string };
}

const metadata = (name: string, app: string, version: string) => ({
  name,
  labels: { app, tier: "load" },
  ...(version !== "" && { resourceVersion: version }),
});

const configMaps: LoadKind = {
  plural: "configmaps",
  root: "/api/v1",
  share: 35,
  population: 600,
  body: (name, app, version, serial) =>
    JSON.stringify({
      ...{ apiVersion: "v1", kind: "ConfigMap", metadata: metadata(name, app, version) },
      data: { serial: String(serial), settings: "mode: standard\nretries: 3\n".repeat(8) },
    }),
  change: "put",
};

// Nobody schedules them, so they are what a kubelet reports about and nothing runs.
const pods: LoadKind = {
  plural: "pods",
  root: "/api/v1",
  isMarkedFirst: true,
  share: 45,
  population: 600,
  body: (name, app, version) =>
    JSON.stringify({
      ...{ apiVersion: "v1", kind: "Pod", metadata: metadata(name, app, version) },
      spec: {
        ...{ schedulerName: "nobody", terminationGracePeriodSeconds: 0, automountServiceAccountToken: false },
        containers: [{ name: "main", image: "busybox", command: ["sleep", "1000"] }],
      },
    }),
  change: {
    type: "application/strategic-merge-patch+json",
    path: "/status",
    patch: (app, serial) =>
      JSON.stringify({
        metadata: { labels: { app } },
        status: {
          phase: "Running",
          conditions: [{ type: "Ready", status: serial % 2 ? "True" : "False", lastTransitionTime: null }],
          message: `report ${serial}`,
        },
      }),
  },
};

const leases: LoadKind = {
  plural: "leases",
  root: "/apis/coordination.k8s.io/v1",
  share: 10,
  population: 200,
  body: (name, app, version, serial) =>
    JSON.stringify({
      ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: metadata(name, app, version) },
      spec: { holderIdentity: `holder-${serial}`, leaseDurationSeconds: 15, renewTime: "2026-01-01T00:00:00.000000Z" },
    }),
  change: "put",
};

const etcdClusters: LoadKind = {
  plural: "etcdclusters",
  root: "/apis/etcd.database.coreos.com/v1beta2",
  share: 10,
  population: 60,
  body: (name, app, version) =>
    JSON.stringify({
      apiVersion: "etcd.database.coreos.com/v1beta2",
      kind: "EtcdCluster",
      metadata: metadata(name, app, version),
      spec: { size: 3, version: "3.5.16" },
    }),
  change: {
    type: "application/merge-patch+json",
    path: "",
    patch: (app, serial) =>
      JSON.stringify({
        metadata: { labels: { app }, annotations: { serial: String(serial) } },
        spec: { size: 1 + 2 * (serial % 3) },
      }),
  },
};

/** What a cluster with operators in it writes most: reports about pods, settings, Leases, and custom resources. */
export const loadKinds: readonly LoadKind[] = [pods, configMaps, leases, etcdClusters];

export const namespaces: readonly string[] = Array.from({ length: 20 }, (_, index) => `load-${index}`);
export const apps: readonly string[] = Array.from({ length: 20 }, (_, index) => `app-${index}`);
