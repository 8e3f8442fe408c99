import { memberHost } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { PodSeen, TlsSecretSeen, TlsSeen } from "../model/observation.ts";
import { chainsTo } from "./chains.ts";
import { checkTls } from "./check-tls.ts";
import { describeFinding, type Finding, ofSeverity } from "./finding.ts";
import { type Fingerprint, fingerprintsOf } from "./fingerprints.ts";
import { poolOf, shownBy } from "./material.ts";
import type { TlsSecrets } from "./parse-secret.ts";
import { TLS_ROLES, TLS_USES, TLS_VISITORS, type TlsRole } from "./secret-roles.ts";

/** What the Secrets of a cluster hold and are worth. What follows for its members is decided in `tls-step.rule.ts`. */
export function tlsSeen(
  cluster: EtcdCluster,
  secrets: TlsSecrets,
  pods: readonly Pick<PodSeen, "name">[],
  nowMs: number,
): TlsSeen {
  const members = pods.map(({ name }) => memberHost(cluster, name));
  const findings = checkTls({ cluster, secrets, nowMs, members });
  const fingerprints = fingerprintsOf(secrets);
  const { peer, server } = fingerprints;
  return {
    secrets: TLS_ROLES.flatMap((role) => secretSeen(role, secrets, fingerprints[role])),
    defects: ofSeverity("defect", findings).map(describeFinding),
    expiring: findings.filter(isExpiry).map(describeFinding),
    ca: { peer: peer?.ca, server: server?.ca },
    vouchers: { ...vouchersAt("peer", secrets), ...vouchersAt("server", secrets) },
  };
}

/** Every known authority by which the members could trust a client or peer that connects to a listener of theirs. */
function vouchersAt(listener: keyof typeof TLS_VISITORS, secrets: TlsSecrets): TlsSeen["vouchers"] {
  const shown = shownBy(TLS_VISITORS[listener], secrets);
  if (!shown) return {};
  const known = [...(poolOf(listener, secrets)?.certificates ?? []), ...shown.intermediates];
  const vouching = known.filter((authority) => chainsTo([authority], shown).length > 0);
  return { [listener]: vouching.map(({ identity }) => identity) };
}

function secretSeen(role: TlsRole, secrets: TlsSecrets, fingerprint: Fingerprint | undefined): TlsSecretSeen[] {
  const secret = secrets[role];
  if (!secret) return [];
  const { leaf: certificate, ca } = fingerprint ?? {};
  return [{ use: TLS_USES[role], name: secret.name, certificate, authorities: ca?.split(",") }];
}

function isExpiry({ code, severity }: Finding): boolean {
  return code === "expires-soon" && severity === "warning";
}
