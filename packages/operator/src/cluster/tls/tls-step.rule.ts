import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { Observation, PodSeen, TlsSeen } from "../model/observation.ts";
import { majorityOf } from "../model/quorum.ts";
import { CA_ANNOTATIONS, isIn } from "./ca-annotations.ts";
import { describeFinding, type Finding } from "./finding.ts";
import { TLS_KEYS, TLS_USES, TLS_VISITORS, type TlsRole } from "./secret-roles.ts";

type Listener = keyof typeof CA_ANNOTATIONS;

interface Seen extends Pick<Observation, "tls"> {
  readonly cluster: EtcdCluster;
  readonly pods: readonly StartedPod[];
}

/** The annotations say which authorities its member believes. */
export interface StartedPod extends Pick<PodSeen, "name" | "isEtcdRunning"> {
  readonly metadata: Pick<PodSeen["metadata"], "annotations">;
}

export type TlsStep =
  /** All members believe the authorities that the Secrets hold, as far as is known. */
  | { readonly kind: "settled" }
  /** These do not yet, in the order to restart them. */
  | { readonly kind: "restart"; readonly members: readonly string[] }
  /** A member that started now would be cut off from too many of those that run: none is to be started. */
  | { readonly kind: "refused"; readonly findings: readonly Finding[] };

const LISTENERS: readonly Listener[] = ["peer", "server"];

/**
 * How far a change of authority has come. Trust both, restart all, change the certificates, trust only the new one,
 * restart all: the user changes the Secrets, and this decides which members have to follow. A certificate whose
 * authority the running members do not know yet is refused, because etcd shows it in every new handshake but goes on
 * believing the authorities that it believed when it started.
 */
export function tlsStep(seen: Seen): TlsStep {
  const { tls } = seen;
  // A step is known only from valid certificates.
  if (!tls || tls.defects.length > 0) return { kind: "settled" };
  const doubts = LISTENERS.map((listener) => ({ listener, names: doubtersOf(listener, tls, seen) }));
  const findings = doubts
    .filter(({ listener, names }) => names.length > 0 && !canFollow(listener, names, seen))
    .map(({ listener, names }) => trustBothFirst(listener, names, tls));
  if (findings.length > 0) return { kind: "refused", findings };
  const outdated = outdatedIn(tls, seen);
  if (outdated.length === 0) return { kind: "settled" };
  // Those that are cut off already cost nothing more when they restart.
  const isCutOff = (name: string) => doubts.some(({ names }) => names.includes(name));
  const rest = outdated.filter((name) => !isCutOff(name));
  return { kind: "restart", members: [...outdated.filter(isCutOff), ...rest] };
}

/** Members that were started with another bundle of authorities, in the order to restart them. */
export function membersToRestart(seen: Seen): readonly string[] {
  const step = tlsStep(seen);
  return step.kind === "restart" ? step.members : [];
}

/** Why no member must be started with the Secrets as they are, one line each: they are not sound, or come too early. */
export function tlsDefects(seen: Seen): readonly string[] {
  const step = tlsStep(seen);
  const refused = step.kind === "refused" ? step.findings : [];
  return [...(seen.tls?.defects ?? []), ...refused.map(describeFinding)];
}

/** Whether no member can be started with the certificates that the spec names. */
export function hasTlsDefects(seen: Seen): boolean {
  return tlsDefects(seen).length > 0;
}

/**
 * Members that would reject a peer with the present certificate. Of those without a record nothing is known, or
 * reported.
 */
function doubtersOf(listener: Listener, { vouchers }: TlsSeen, { pods }: Seen): readonly string[] {
  const { [listener]: known } = vouchers ?? {};
  if (!known) return [];
  return pods.flatMap(({ name, isEtcdRunning, metadata }) => {
    const ca = metadata.annotations[CA_ANNOTATIONS[listener]];
    if (!isEtcdRunning || ca === undefined) return [];
    return known.some((identity) => isIn(ca, identity)) ? [] : [name];
  });
}

/** Whether the others can do without those that doubt, while they are restarted one by one. */
function canFollow(listener: Listener, doubters: readonly string[], { cluster, pods }: Seen): boolean {
  const believers = pods.filter(
    ({ name, isEtcdRunning, metadata }) =>
      isEtcdRunning && metadata.annotations[CA_ANNOTATIONS[listener]] !== undefined && !doubters.includes(name),
  );
  if (believers.length >= majorityOf(pods.length)) return true;
  // A single member has none to be cut off from; but without a volume its successor has to join it first.
  return pods.length === 1 && cluster.spec.pod?.persistentVolumeClaimSpec !== undefined;
}

/**
 * Those that were started with another bundle. Pods of earlier releases bear no note until the operator has written
 * one; when others are known to be behind, those that bear none follow too.
 */
function outdatedIn(tls: TlsSeen, { pods }: Seen): readonly string[] {
  const inUse = LISTENERS.filter((listener) => tls.ca[listener] !== undefined);
  const noted = ({ metadata }: StartedPod, listener: Listener) => metadata.annotations[CA_ANNOTATIONS[listener]];
  const behind = pods.filter(
    (pod) => pod.isEtcdRunning && inUse.some((listener) => noted(pod, listener) !== tls.ca[listener]),
  );
  const isOther = (ca: string | undefined, listener: Listener) => ca !== undefined && ca !== tls.ca[listener];
  const isKnown = behind.some((pod) => inUse.some((listener) => isOther(noted(pod, listener), listener)));
  return isKnown ? behind.map(({ name }) => name) : [];
}

function trustBothFirst(listener: Listener, names: readonly string[], { secrets = [] }: TlsSeen): Finding {
  const nameOf = (role: TlsRole) => secrets.find(({ use }) => use === TLS_USES[role])?.name;
  const visitor = TLS_VISITORS[listener];
  const { certificate, key } = TLS_KEYS[visitor];
  const bundle = `'${TLS_KEYS[listener].ca}' of Secret '${nameOf(listener)}'`;
  const who = names.map((name) => `'${name}'`).join(", ");
  const refused = visitor === "peer" ? "each other" : "the operator";
  return {
    ...{ code: "trust-both-first", severity: "defect", secret: nameOf(visitor) ?? "", key: certificate },
    defect: `holds a certificate of an authority that ${who} did not know when they started, so that they refuse ${refused}`,
    remedy:
      `put the previous '${certificate}' and '${key}' back, let ${bundle} hold the old and the new authority, ` +
      "and change the certificate when all members have been restarted (see docs/operations/tls.md)",
  };
}
