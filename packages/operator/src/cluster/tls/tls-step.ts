import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { majorityOf } from "../model/quorum.ts";
import type { CA_ANNOTATIONS } from "./ca-annotations.ts";
import { chainsTo } from "./chains.ts";
import type { Finding } from "./finding.ts";
import { fingerprintsOf, isIn } from "./fingerprints.ts";
import { poolOf, shownBy } from "./material.ts";
import type { TlsSecrets } from "./parse-secret.ts";
import { TLS_KEYS, type TlsRole } from "./secret-roles.ts";

type Listener = keyof typeof CA_ANNOTATIONS;

/** A voter, and whom the annotations of its pod say it believes. */
export interface MemberTrust {
  readonly name: string;
  /** Whether etcd runs in its pod; one that does not will read the bundles as they are when it starts. */
  readonly isRunning: boolean;
  /** The values of CA_ANNOTATIONS; undefined where the pod was made without them. */
  readonly ca: Readonly<Record<Listener, string | undefined>>;
}

export interface TlsStepInput {
  readonly cluster: EtcdCluster;
  /** Free of defects: see checkTls. */
  readonly secrets: TlsSecrets;
  readonly members: readonly MemberTrust[];
}

export type TlsStep =
  /** Everybody believes whom the Secrets say, as far as is known. */
  | { readonly kind: "settled" }
  /** These do not yet, in the order to restart them. */
  | { readonly kind: "restart"; readonly members: readonly string[] }
  /** Whoever started now would be cut off from too many of those who run: nobody is to be started. */
  | { readonly kind: "refused"; readonly findings: readonly Finding[] };

// Who comes to a listener with a certificate that the user can change under running members.
const VISITOR: Readonly<Record<Listener, TlsRole>> = { peer: "peer", server: "operator" };
const LISTENERS: readonly Listener[] = ["peer", "server"];

/**
 * How far a change of authority has come. Trust both, restart all, change the certificates, trust only the new one, restart all:
 * the user changes the Secrets, and this tells who has to follow. A certificate whose authority the running members do not
 * know yet is refused, because etcd shows it in every new handshake but goes on believing whom it believed when it started.
 */
export function tlsStep(input: TlsStepInput): TlsStep {
  const doubts = LISTENERS.map((listener) => ({ listener, names: doubtersOf(listener, input) }));
  const findings = doubts
    .filter(({ listener, names }) => names.length > 0 && !canFollow(listener, names, input))
    .map(({ listener, names }) => trustBothFirst(listener, names, input.secrets));
  if (findings.length > 0) return { kind: "refused", findings };
  const outdated = outdatedIn(input);
  if (outdated.length === 0) return { kind: "settled" };
  // Those who are cut off already cost nothing more when they restart.
  const isCutOff = (name: string) => doubts.some(({ names }) => names.includes(name));
  const rest = outdated.filter((name) => !isCutOff(name));
  return { kind: "restart", members: [...outdated.filter(isCutOff), ...rest] };
}

/** Members that would not let in who comes with today's certificate. Of those without a note nothing is known, and nothing said. */
function doubtersOf(listener: Listener, { secrets, members }: TlsStepInput): readonly string[] {
  const shown = shownBy(VISITOR[listener], secrets);
  if (!shown) return [];
  const authorities = [...(poolOf(listener, secrets)?.certificates ?? []), ...shown.intermediates];
  return members.flatMap(({ name, isRunning, ca: { [listener]: ca } }) => {
    if (!isRunning || ca === undefined) return [];
    const believed = authorities.filter((authority) => isIn(ca, authority));
    return chainsTo(believed, shown).length === 0 ? [name] : [];
  });
}

/** Whether the others can do without those who doubt, while they are restarted one by one. */
function canFollow(listener: Listener, doubters: readonly string[], { cluster, members }: TlsStepInput): boolean {
  const believers = members.filter(
    ({ name, isRunning, ca }) => isRunning && ca[listener] !== undefined && !doubters.includes(name),
  );
  if (believers.length >= majorityOf(members.length)) return true;
  // A single member has nobody to be cut off from; but without a volume its successor has to join it first.
  return members.length === 1 && cluster.spec.pod?.persistentVolumeClaimSpec !== undefined;
}

/**
 * Those who were started with another bundle. Pods of earlier releases bear no note until the operator has written one; when others
 * are known to be behind, whoever bears none follows too.
 */
function outdatedIn({ secrets, members }: TlsStepInput): readonly string[] {
  const now = fingerprintsOf(secrets);
  const inUse = LISTENERS.filter((listener) => now[listener]?.ca !== undefined);
  const behind = members.filter(
    ({ isRunning, ca }) => isRunning && inUse.some((listener) => ca[listener] !== now[listener]?.ca),
  );
  const isKnown = behind.some(({ ca }) => inUse.some((each) => ca[each] !== undefined && ca[each] !== now[each]?.ca));
  return isKnown ? behind.map(({ name }) => name) : [];
}

function trustBothFirst(listener: Listener, names: readonly string[], secrets: TlsSecrets): Finding {
  const [visitor, secret] = [VISITOR[listener], secrets[VISITOR[listener]]?.name ?? ""];
  const { certificate, key } = TLS_KEYS[visitor];
  const bundle = `'${TLS_KEYS[listener].ca}' of Secret '${secrets[listener]?.name}'`;
  const who = names.map((name) => `'${name}'`).join(", ");
  const refused = visitor === "peer" ? "each other" : "the operator";
  return {
    ...{ code: "trust-both-first", severity: "defect", secret, key: certificate },
    defect: `holds a certificate of an authority that ${who} did not know when they started, so that they refuse ${refused}`,
    remedy:
      `put the previous '${certificate}' and '${key}' back, let ${bundle} hold the old and the new authority, ` +
      "and change the certificate when all members have been restarted (see docs/operations/tls.md)",
  };
}
