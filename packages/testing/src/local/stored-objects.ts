import type { KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";

/** For tests: an object as the API server would return it; its uid follows from its name. */
export function stored<T extends KubeObject>(name: string, object: T): Stored<T> {
  const metadata = {
    name,
    namespace: "ns",
    uid: `uid-${name}`,
    resourceVersion: "1",
    creationTimestamp: "2030-01-01T00:00:00Z",
    ...object.metadata,
  };
  return { apiVersion: "v1", kind: "Thing", ...object, metadata } as Stored<T>;
}

interface PodFacts {
  readonly labels?: Record<string, string>;
  readonly ip?: string;
  readonly isReady?: boolean;
  readonly isGoing?: boolean;
  readonly phase?: string;
  readonly spec?: Partial<NonNullable<Pod["spec"]>>;
}

export function aPod(name: string, facts: PodFacts = {}): Stored<Pod> {
  const { labels = {}, ip, isReady = true, isGoing = false, phase = "Running", spec = {} } = facts;
  return stored<Pod>(name, {
    metadata: { labels, ...(isGoing && { deletionTimestamp: "2030-01-01T00:00:00Z" }) },
    spec: { containers: [], ...spec },
    status: {
      phase,
      ...(ip !== undefined && { podIP: ip }),
      conditions: [{ type: "Ready", status: isReady ? "True" : "False" }],
    },
  });
}

interface NodeFacts {
  readonly labels?: Record<string, string>;
  readonly spec?: Node["spec"];
  readonly status?: Node["status"];
}

export function aNode(name: string, { labels = {}, spec = {}, status = {} }: NodeFacts = {}): Stored<Node> {
  return stored<Node>(name, { metadata: { labels: { "kubernetes.io/hostname": name, ...labels } }, spec, status });
}

export function aClaim(more: Partial<PersistentVolumeClaim> = {}): Stored<PersistentVolumeClaim> {
  return stored<PersistentVolumeClaim>("claim", {
    ...more,
    metadata: { finalizers: ["kubernetes.io/pvc-protection"], ...more.metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
      storageClassName: "standard",
      ...more.spec,
    },
  });
}

export function aVolume(name: string, more: Partial<PersistentVolume> = {}): Stored<PersistentVolume> {
  return stored<PersistentVolume>(name, {
    ...more,
    metadata: { finalizers: ["kubernetes.io/pv-protection"], ...more.metadata },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: "standard",
      persistentVolumeReclaimPolicy: "Delete",
      ...more.spec,
    },
  });
}
