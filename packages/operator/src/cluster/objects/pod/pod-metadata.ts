import { isReservedLabel } from "../../../api/cluster/pod-policy.ts";
import type { EtcdClusterSpec } from "../../../api/etcd-cluster.ts";
import { isOfOurDomain, isOwnAnnotation } from "../../../api/reserved-keys.ts";
import type { PodMetadata } from "../../model/observation.ts";
import { ANNOTATIONS } from "../annotations.ts";

type Keys = PodMetadata["applied"];

/** Labels and annotations to set on a pod, and with null to remove. */
export interface MetadataPatch {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** What the user wants on the pods; what the operator writes there itself is not the user's to say. */
export function wantedMetadata({ pod }: EtcdClusterSpec): Pick<PodMetadata, "labels" | "annotations"> {
  return { labels: only(isUsersLabel, pod?.labels), annotations: only(isUsersAnnotation, pod?.annotations) };
}

/** The record of what came from the spec, as it is kept on the pod. */
export function metadataRecord(spec: EtcdClusterSpec): string {
  const { labels, annotations } = wantedMetadata(spec);
  return recordOf(Object.keys(labels), Object.keys(annotations));
}

function recordOf(labels: readonly string[], annotations: readonly string[]): string {
  return JSON.stringify({ labels: [...labels].sort(), annotations: [...annotations].sort() });
}

/** Reads the record back; whatever is illegible names nothing. */
export function appliedKeys(record: string | undefined): Keys {
  const nothing: Keys = { labels: [], annotations: [] };
  try {
    const { labels, annotations } = { ...nothing, ...(JSON.parse(record ?? "{}") as Partial<Keys>) };
    return { labels: texts(labels), annotations: texts(annotations) };
  } catch {
    return nothing;
  }
}

/**
 * What has to change on a pod so that it carries what the spec says, and nothing that it said before; undefined for
 * nothing.
 */
export function metadataPatch(found: PodMetadata, spec: EtcdClusterSpec): MetadataPatch | undefined {
  const wanted = wantedMetadata(spec);
  const given = {
    labels: found.applied.labels.filter(isUsersLabel),
    annotations: found.applied.annotations.filter(isUsersAnnotation),
  };
  const labels = changes(found, "labels", wanted.labels, given.labels);
  const annotations = changes(found, "annotations", wanted.annotations, given.annotations);
  // A pod of coreos/etcd-operator carries what the spec says, but not that it came from there.
  const isRecorded = metadataRecord(spec) === recordOf(found.applied.labels, found.applied.annotations);
  if (isRecorded && Object.keys(labels).length === 0 && Object.keys(annotations).length === 0) return undefined;
  return { labels, annotations: { ...annotations, [ANNOTATIONS.podMetadata]: metadataRecord(spec) } };
}

function changes(
  pod: PodMetadata,
  which: "labels" | "annotations",
  wanted: Readonly<Record<string, string>>,
  applied: readonly string[],
): Record<string, string | null> {
  const found = pod[which];
  // Admission has answered this value with something else, and would again.
  const isAsked = (key: string, value: string) => pod.changedByAdmission?.[which][key] === value;
  const set = Object.entries(wanted).filter(([key, value]) => found[key] !== value && !isAsked(key, value));
  const withdrawn = applied.filter((key) => !Object.hasOwn(wanted, key) && Object.hasOwn(found, key));
  return { ...Object.fromEntries(set), ...Object.fromEntries(withdrawn.map((key) => [key, null])) };
}

function isUsersLabel(key: string): boolean {
  return !isReservedLabel(key) && !isOfOurDomain(key);
}

function isUsersAnnotation(key: string): boolean {
  return !isOwnAnnotation(key);
}

function only(isUsers: (key: string) => boolean, map: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => isUsers(key)));
}

function texts(found: unknown): string[] {
  return Array.isArray(found) ? found.filter((key) => typeof key === "string") : [];
}
