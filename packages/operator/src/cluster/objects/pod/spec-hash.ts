import { isLeftToPlatform } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterSpec } from "../../../api/etcd-cluster.ts";
import { canonicalQuantity } from "../../../api/schema/quantity.ts";
import { fingerprint } from "./fingerprint.ts";

/**
 * The version of the hash function. A change of the function needs a new one; pods with another one are left as they
 * are, and get the new one.
 */
const VERSION = "v1:";
/**
 * As before, but of a spec whose quantities are brought to one notation. Only one that is written otherwise gets it.
 */
const CANONICAL = "v2:";

/** Whether a hash was made in a way that we know; only then does a difference mean anything. */
export function isComparable(hash: string): boolean {
  return hash.startsWith(VERSION) || hash.startsWith(CANONICAL);
}

/**
 * Changes when, and only when, the user changes something that a running pod cannot take in. It is made from the spec,
 * never from the pod that we build from it: a new release may build pods differently, and must not roll anyone's etcd
 * for that. A field that is absent adds nothing, so a release may add fields; for any other change of this file there
 * is its version. It is there to be written; `isHashOf` compares.
 */
export function specHash(spec: EtcdClusterSpec): string {
  const { asWritten, canonical } = fingerprintsOf(spec);
  return canonical === asWritten ? `${VERSION}${asWritten}` : `${CANONICAL}${canonical}`;
}

/** Whether a hash is of this spec, in whatever notation its quantities were when it was made. */
export function isHashOf(hash: string, spec: EtcdClusterSpec): boolean {
  return hashesOf(spec).includes(hash);
}

/** All hashes that are of this spec. */
export function hashesOf(spec: EtcdClusterSpec): readonly string[] {
  const { asWritten, canonical } = fingerprintsOf(spec);
  return [`${VERSION}${asWritten}`, `${VERSION}${canonical}`, `${CANONICAL}${canonical}`];
}

/**
 * Whether a hash is of this spec only as long as its quantities are written as they are: as earlier releases made it.
 */
export function isOfNotation(hash: string, spec: EtcdClusterSpec): boolean {
  const { asWritten, canonical } = fingerprintsOf(spec);
  return canonical !== asWritten && hash === `${VERSION}${asWritten}`;
}

interface Fingerprints {
  readonly asWritten: string;
  readonly canonical: string;
}

/** A reconcile asks for them many times. */
const fingerprints = new WeakMap<EtcdClusterSpec, Fingerprints>();

function fingerprintsOf(spec: EtcdClusterSpec): Fingerprints {
  const known = fingerprints.get(spec);
  if (known !== undefined) return known;
  const fields = rolledFields(spec);
  const both = {
    asWritten: fingerprintOf(fields),
    canonical: fingerprintOf({ ...fields, resources: inOneNotation(spec.pod?.resources) }),
  };
  fingerprints.set(spec, both);
  return both;
}

function fingerprintOf(fields: Readonly<Record<string, unknown>>): string {
  return fingerprint(Object.fromEntries(Object.entries(fields).filter(([, value]) => says(value))));
}

type Resources = NonNullable<EtcdClusterSpec["pod"]>["resources"];

function inOneNotation(resources: Resources): Resources {
  const { requests, limits } = resources ?? {};
  return (
    resources && {
      ...resources,
      ...(requests && { requests: each(requests) }),
      ...(limits && { limits: each(limits) }),
    }
  );
}

function each(quantities: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, canonicalQuantity(quantity)]));
}

// Not here, because it is changed in place: size, version and repository (the image), labels, annotations.
function rolledFields({ TLS, etcd, pod = {} }: EtcdClusterSpec): Readonly<Record<string, unknown>> {
  return {
    peerSecret: TLS?.static?.member?.peerSecret,
    serverSecret: TLS?.static?.member?.serverSecret,
    etcd,
    nodeSelector: pod.nodeSelector,
    affinity: pod.affinity,
    // Of no effect beside an affinity.
    antiAffinity: pod.affinity ? undefined : pod.antiAffinity,
    tolerations: pod.tolerations,
    // Wrapped, because an empty list says something: it takes our default spread away.
    spread: pod.topologySpreadConstraints && { constraints: pod.topologySpreadConstraints },
    resources: pod.resources,
    etcdEnv: pod.etcdEnv,
    claim: rolledClaimFields(pod.persistentVolumeClaimSpec),
    securityContext: pod.securityContext,
    // Empty it says something, too.
    isLeftToPlatform: isLeftToPlatform(pod.securityContext),
    ClusterDomain: pod.ClusterDomain,
    imagePullSecrets: pod.imagePullSecrets,
    imagePullPolicy: pod.imagePullPolicy,
    priorityClassName: pod.priorityClassName,
    terminationGracePeriodSeconds: pod.terminationGracePeriodSeconds,
    serviceAccountName: pod.serviceAccountName,
  };
}

/** Changes when a member needs another volume. */
export function claimHash(spec: EtcdClusterSpec): string | undefined {
  const claim = rolledClaimFields(spec.pod?.persistentVolumeClaimSpec);
  return claim && `${VERSION}${fingerprint(claim)}`;
}

type ClaimSpec = NonNullable<EtcdClusterSpec["pod"]>["persistentVolumeClaimSpec"];

// A volume grows, and changes its attributes class, under a running pod; for any other change a member needs another
// volume.
function rolledClaimFields(claim: ClaimSpec): object | undefined {
  if (!claim) return undefined;
  const { resources: _, volumeAttributesClassName: __, ...rest } = claim;
  return { hasClaim: true, ...rest };
}

/**
 * Whether a field says anything: `{}`, `[]`, "" and false ask for what is done anyway. Below that level they may
 * matter.
 */
function says(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
