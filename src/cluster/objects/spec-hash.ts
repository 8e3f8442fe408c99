import type { EtcdClusterSpec } from "../../api/etcd-cluster.ts";
import { fingerprint } from "./fingerprint.ts";

/** How the hash is made. Whoever changes that changes this; pods with another one are left as they are, and get the new one. */
const VERSION = "v1:";

/** Whether a hash was made as we make it; only then does a difference tell anything. */
export function isComparable(hash: string): boolean {
  return hash.startsWith(VERSION);
}

/**
 * Changes when, and only when, the user changes something that a running pod cannot take in. It is made from the spec, never
 * from the pod that we build from it: a new release may build pods differently, and must not roll anyone's etcd for that.
 * A field that is absent adds nothing, so a release may add fields; for any other change of this file there is its version.
 */
export function specHash(spec: EtcdClusterSpec): string {
  const known = hashes.get(spec);
  if (known !== undefined) return known;
  const said = Object.entries(rolledFields(spec)).filter(([, value]) => says(value));
  const hash = `${VERSION}${fingerprint(Object.fromEntries(said))}`;
  hashes.set(spec, hash);
  return hash;
}

/** A pass asks for it many times. */
const hashes = new WeakMap<EtcdClusterSpec, string>();

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

// A volume grows, and changes its attributes class, under a running pod; for any other change a member needs another volume.
function rolledClaimFields(claim: ClaimSpec): object | undefined {
  if (!claim) return undefined;
  const { resources: _, volumeAttributesClassName: __, ...rest } = claim;
  return { hasClaim: true, ...rest };
}

/** Whether a field says anything: `{}`, `[]`, "" and false ask for what is done anyway. Below that level they may matter. */
function says(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}
