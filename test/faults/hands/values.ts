import type { Stored } from "@etcd-operator/kubernetes-client";
import { leavesOf, nameOf, type Path, valueAt } from "./path.ts";

/** A field of an object, and what a hand makes of it, one after the other; undefined is to take it out. */
export interface FieldEdits {
  readonly path: Path;
  readonly values: readonly unknown[];
}

/** The API server's own, or what the object is known by. */
const NOT_TO_EDIT =
  /^(apiVersion|kind|metadata\.(name|namespace|uid|resourceVersion|generation|creationTimestamp|managedFields)(\..*)?)$/;
/**
 * What others write, or no client can: of pods the API server takes hardly anything; a spec is the user's, see
 * suite `fields`.
 */
const OF_OTHERS: Readonly<Record<string, RegExp>> = {
  services: /^status\b/,
  poddisruptionbudgets: /^status\b/,
  persistentvolumeclaims: /^status\b|^spec\.(?!resources)/,
  pods: /^status\b|^spec\.(?!containers\.0\.image$|initContainers\.0\.image$|terminationGracePeriodSeconds)/,
  etcdclusters: /^spec\b/,
};

/** Of any object. */
const METADATA: readonly FieldEdits[] = [
  { path: ["metadata", "labels", "team"], values: ["by-hand", undefined] },
  { path: ["metadata", "annotations", "team"], values: ["by-hand", undefined] },
  { path: ["metadata", "finalizers"], values: [["example.com/by-hand"], undefined] },
];

/** Without any, and by one that is gone. */
const GONE = { apiVersion: "v1", kind: "ConfigMap", name: "none-such", uid: "00000000-0000-4000-8000-000000000000" };
const OWNERS: FieldEdits = { path: ["metadata", "ownerReferences"], values: [undefined, [GONE]] };

/** What ours leave out. */
const LEFT_OUT: Readonly<Record<string, readonly FieldEdits[]>> = {
  services: [
    { path: ["spec", "publishNotReadyAddresses"], values: [true, undefined] },
    { path: ["spec", "sessionAffinity"], values: ["ClientIP", "None"] },
    { path: ["spec", "ipFamilyPolicy"], values: ["PreferDualStack"] },
    { path: ["spec", "internalTrafficPolicy"], values: ["Local", undefined] },
    { path: ["spec", "externalIPs"], values: [["192.0.2.1"], undefined] },
    { path: ["spec", "type"], values: ["LoadBalancer", "NodePort"] },
    { path: ["spec", "loadBalancerSourceRanges"], values: [["192.0.2.0/24"]] },
    { path: ["spec", "selector", "team"], values: ["by-hand"] },
  ],
  poddisruptionbudgets: [
    { path: ["spec", "unhealthyPodEvictionPolicy"], values: ["AlwaysAllow", undefined] },
    { path: ["spec", "selector", "matchExpressions"], values: [[{ key: "team", operator: "Exists" }]] },
    { path: ["spec", "selector", "matchLabels", "team"], values: ["by-hand"] },
  ],
};

/** Other values that mean something, where any would not. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  "metadata.labels.etcd_cluster": ["b", undefined],
  "spec.resources.requests.storage": ["2Gi"],
  "spec.ports.0.port": [2390],
  "spec.acquireTime": ["2029-01-01T00:00:00.000000Z"],
  "status.clusterID": ["by-hand"],
  "status.memberStatus.0.databaseSizeBytes": [1],
  "status.memberStatus.0.role": ["Unknown"],
  "status.memberStatus.0.health": ["Unhealthy"],
  "metadata.annotations.etcd.version": ["3.5.99", undefined],
};

/** Every field of an object as it was made, and those that it could have. */
export function fieldsOf(object: Stored, plural: string): readonly FieldEdits[] {
  const owners: FieldEdits[] = object.metadata.ownerReferences ? [OWNERS] : [];
  const extra = [...METADATA, ...owners, ...(LEFT_OUT[plural] ?? [])];
  const known = new Set(extra.map(({ path }) => nameOf(path)));
  const isOurs = (path: Path) => !NOT_TO_EDIT.test(nameOf(path)) && !OF_OTHERS[plural]?.test(nameOf(path));
  const leaves = leavesOf(object).filter((path) => isOurs(path) && !isWithin(path, known));
  return [...leaves.map((path) => ({ path, values: valuesFor(path, valueAt(object, path)) })), ...extra];
}

function isWithin(path: Path, known: ReadonlySet<string>): boolean {
  return path.some((_, at) => known.has(nameOf(path.slice(0, at + 1))));
}

function valuesFor(path: Path, value: unknown): readonly unknown[] {
  const name = nameOf(path);
  if (name.endsWith("conditions.0.status")) return ["Unknown"];
  // A time that is not there is made up for with the next change.
  if (/conditions\.0\.last\w+Time$/.test(name)) return [wrong(value, true)];
  return VALUES[name] ?? [wrong(value, path[0] === "status"), undefined];
}

/** Figures that are nearly right are not worth a write of the status. */
function wrong(value: unknown, isFigure: boolean): unknown {
  if (typeof value === "number") return value + (isFigure ? 1_000_000 : 1);
  if (typeof value === "boolean") return !value;
  if (Array.isArray(value)) return [];
  return /^\d{4}-\d\d-\d\dT/.test(String(value)) ? "2029-01-01T00:00:00Z" : "by-hand";
}
