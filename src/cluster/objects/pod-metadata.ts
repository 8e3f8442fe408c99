import type { EtcdClusterSpec } from "../../api/etcd-cluster.ts";
import { GROUP } from "../../api/group.ts";
import type { PodMetadata } from "../observation.ts";
import { ANNOTATIONS } from "./annotations.ts";

type Keys = PodMetadata["applied"];

/** Labels and annotations to set on a pod, and with null to take away. */
export interface MetadataPatch {
  readonly labels: Readonly<Record<string, string | null>>;
  readonly annotations: Readonly<Record<string, string | null>>;
}

/** What the user wants on the pods; what the operator writes there itself is not the user's to say. */
export function wantedMetadata({ pod }: EtcdClusterSpec): Pick<PodMetadata, "labels" | "annotations"> {
  const annotations = Object.entries(pod?.annotations ?? {}).filter(([key]) => !isOwn(key));
  return { labels: pod?.labels ?? {}, annotations: Object.fromEntries(annotations) };
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

/** What has to change on a pod so that it carries what the spec says, and nothing that it said before; undefined for nothing. */
export function metadataPatch(found: PodMetadata, spec: EtcdClusterSpec): MetadataPatch | undefined {
  const wanted = wantedMetadata(spec);
  const labels = changes(found.labels, wanted.labels, found.applied.labels);
  const annotations = changes(found.annotations, wanted.annotations, found.applied.annotations);
  // A pod of the old operator carries what the spec says, but not that it came from there.
  const isRecorded = metadataRecord(spec) === recordOf(found.applied.labels, found.applied.annotations);
  if (isRecorded && Object.keys(labels).length === 0 && Object.keys(annotations).length === 0) return undefined;
  return { labels, annotations: { ...annotations, [ANNOTATIONS.podMetadata]: metadataRecord(spec) } };
}

function changes(
  found: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
  applied: readonly string[],
): Record<string, string | null> {
  const set = Object.entries(wanted).filter(([key, value]) => found[key] !== value);
  const withdrawn = applied.filter((key) => !Object.hasOwn(wanted, key) && Object.hasOwn(found, key) && !isOwn(key));
  return { ...Object.fromEntries(set), ...Object.fromEntries(withdrawn.map((key) => [key, null])) };
}

function isOwn(key: string): boolean {
  return key === ANNOTATIONS.version || key.startsWith(`${GROUP}/`);
}

function texts(found: unknown): string[] {
  return Array.isArray(found) ? found.filter((key) => typeof key === "string") : [];
}
