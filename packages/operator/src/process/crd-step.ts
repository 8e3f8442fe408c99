import type { Stored } from "@etcd-operator/kubernetes-client";
import type { CustomResourceDefinition } from "kubernetes-types/apiextensions/v1.d.ts";
import { SCHEMA_REVISION_ANNOTATION } from "../api/crd/custom-resource-definition.ts";

export type CrdStep =
  | { readonly kind: "create" }
  | { readonly kind: "update"; readonly object: Stored<CustomResourceDefinition>; readonly from: string }
  | { readonly kind: "wait"; readonly for: string }
  /** It is served, or about to be; `left` says why it was not updated. */
  | { readonly kind: "ready"; readonly left?: string };

/** What to do about a CRD that the API server stores, or does not: never replace a newer one. */
export function crdStep(
  wanted: CustomResourceDefinition,
  stored: Stored<CustomResourceDefinition> | undefined,
): CrdStep {
  if (!stored) return { kind: "create" };
  if (stored.metadata.deletionTimestamp) return { kind: "wait", for: "the previous one to be deleted" };
  const [ours, theirs] = [schemaRevisionOf(wanted), schemaRevisionOf(stored)];
  if (theirs < ours) return { kind: "update", object: upgraded(wanted, stored), from: `revision ${theirs}` };
  const established = condition(stored, "Established");
  if (established?.status !== "True") return { kind: "wait", for: whyNotEstablished(stored) };
  if (theirs === ours) return { kind: "ready" };
  const annotation = stored.metadata.annotations?.[SCHEMA_REVISION_ANNOTATION];
  return { kind: "ready", left: `its revision '${annotation}' is newer than our ${ours}; not changing it` };
}

/** One without a revision is older than all of ours; one that is not a number comes from an unknown future release. */
export function schemaRevisionOf({ metadata }: Pick<CustomResourceDefinition, "metadata">): number {
  const text = metadata?.annotations?.[SCHEMA_REVISION_ANNOTATION];
  if (text === undefined) return 0;
  return /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
}

/**
 * Its metadata stays, except for what we say ourselves; of the spec nothing stays, also not what a v1beta1 left behind.
 */
function upgraded(
  wanted: CustomResourceDefinition,
  stored: Stored<CustomResourceDefinition>,
): Stored<CustomResourceDefinition> {
  const annotations = { ...stored.metadata.annotations, ...wanted.metadata?.annotations };
  return { ...stored, metadata: { ...stored.metadata, annotations }, spec: wanted.spec };
}

function whyNotEstablished(stored: CustomResourceDefinition): string {
  const names = condition(stored, "NamesAccepted");
  if (names?.status === "False") return `its names to be accepted: ${names.message ?? names.reason}`;
  return "the API server to serve it";
}

function condition({ status }: CustomResourceDefinition, type: string) {
  return status?.conditions?.find((each) => each.type === type);
}
