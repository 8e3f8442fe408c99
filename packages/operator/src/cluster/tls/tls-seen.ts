import { memberHost } from "../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { PodSeen, TlsSecretSeen, TlsSeen } from "../model/observation.ts";
import { CA_ANNOTATIONS } from "./ca-annotations.ts";
import { checkTls } from "./check-tls.ts";
import { describeFinding, type Finding, ofSeverity } from "./finding.ts";
import { type Fingerprint, fingerprintsOf } from "./fingerprints.ts";
import type { TlsSecrets } from "./parse-secret.ts";
import { TLS_ROLES, type TlsRole } from "./secret-roles.ts";
import { tlsStep } from "./tls-step.ts";

/** What the Secrets of a cluster mean for its members. */
export function tlsSeen(cluster: EtcdCluster, secrets: TlsSecrets, pods: readonly PodSeen[], nowMs: number): TlsSeen {
  const members = pods.map(({ name }) => memberHost(cluster, name));
  const findings = checkTls({ cluster, secrets, nowMs, members });
  const fingerprints = fingerprintsOf(secrets);
  const { peer, server } = fingerprints;
  const defects = ofSeverity("defect", findings);
  // A step can be told only of certificates that can be read.
  const step = defects.length > 0 ? undefined : tlsStep({ cluster, secrets, members: pods.map(trustOf) });
  const refused = step?.kind === "refused" ? step.findings : [];
  return {
    secrets: TLS_ROLES.flatMap((role) => secretSeen(role, secrets, fingerprints[role])),
    defects: [...defects, ...refused].map(describeFinding),
    expiring: findings.filter(isExpiry).map(describeFinding),
    ca: { peer: peer?.ca, server: server?.ca },
    toRestart: step?.kind === "restart" ? step.members : [],
  };
}

const USES: Readonly<Record<TlsRole, TlsSecretSeen["use"]>> = { peer: "Peer", server: "Server", operator: "Operator" };

function secretSeen(role: TlsRole, secrets: TlsSecrets, fingerprint: Fingerprint | undefined): TlsSecretSeen[] {
  const secret = secrets[role];
  if (!secret) return [];
  const { leaf: certificate, ca } = fingerprint ?? {};
  return [{ use: USES[role], name: secret.name, certificate, authorities: ca?.split(",") }];
}

function trustOf({ name, metadata, isEtcdRunning }: PodSeen) {
  const noted = (listener: keyof typeof CA_ANNOTATIONS) => metadata.annotations[CA_ANNOTATIONS[listener]];
  return { name, isRunning: isEtcdRunning, ca: { peer: noted("peer"), server: noted("server") } };
}

function isExpiry({ code, severity }: Finding): boolean {
  return code === "expires-soon" && severity === "warning";
}
