import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { checkFiles } from "./check-files.ts";
import { checkPeerNames, checkServerNames } from "./check-names.ts";
import { allows, checkHandshake, type Handshake, type Usage } from "./check-trust.ts";
import { checkLeftover, checkValidity } from "./check-validity.ts";
import { distinct, type Finding } from "./finding.ts";
import { poolOf, type Shown, shownBy } from "./material.ts";
import type { TlsSecrets } from "./parse-secret.ts";
import { TLS_ROLES, type TlsRole } from "./secret-roles.ts";

export interface TlsCheck {
  readonly cluster: EtcdCluster;
  readonly secrets: TlsSecrets;
  readonly nowMs: number;
  /** Hosts by which the members of ours are registered, from their peer URLs; none before there is a cluster. */
  readonly members: readonly string[];
}

// The server's certificate is also shown to a server: etcd's JSON gateway is a client of the member that it runs in.
const USAGES_OF: Readonly<Record<TlsRole, readonly Usage[]>> = {
  peer: ["serverAuth", "clientAuth"],
  server: ["serverAuth", "clientAuth"],
  operator: ["clientAuth"],
};

// The authority of the servers and that of their clients may well be two. Then the Secrets of server and operator do
// not trust the certificates beside them, and only the gateway minds.
const MEETINGS: readonly Handshake[] = [
  {
    ...{ shownBy: "peer", to: "peer", usages: ["serverAuth", "clientAuth"], severity: "defect" },
    consequence: "members refuse each other",
  },
  {
    ...{ shownBy: "operator", to: "server", usages: ["clientAuth"], severity: "defect" },
    consequence: "members refuse the operator",
  },
  {
    ...{ shownBy: "server", to: "operator", usages: ["serverAuth"], severity: "defect" },
    consequence: "the operator refuses the members",
  },
  {
    ...{ shownBy: "server", to: "server", usages: ["clientAuth"], severity: "warning" },
    consequence: "etcd's JSON gateway does not work",
  },
];

/**
 * What is wrong with the Secrets of `spec.TLS.static`, before anything starts with them, defects first; nothing when
 * they are valid. Revocation, name constraints and path lengths are not checked.
 */
export function checkTls(check: TlsCheck): readonly Finding[] {
  const { secrets, nowMs } = check;
  return distinct([
    ...TLS_ROLES.flatMap((role) => checkSecret(role, check)),
    ...MEETINGS.flatMap((handshake) => checkHandshake(handshake, secrets, nowMs)),
    ...TLS_ROLES.flatMap((role) => checkLeftover(poolOf(role, secrets), nowMs)),
  ]);
}

function checkSecret(role: TlsRole, check: TlsCheck): readonly Finding[] {
  const secret = check.secrets[role];
  if (!secret) return [];
  const shown = shownBy(role, check.secrets);
  if (!shown) return checkFiles(role, secret);
  return [
    ...checkFiles(role, secret),
    ...checkValidity(shown, shown.leaf, check.nowMs),
    ...checkUsages(role, shown),
    ...checkNames(role, shown, check),
  ];
}

function checkUsages(role: TlsRole, { secret, key, leaf }: Shown): readonly Finding[] {
  const missing = USAGES_OF[role].filter((usage) => !allows(usage, leaf));
  if (missing.length === 0) return [];
  return [
    {
      ...{ code: "usage", severity: "defect", secret, key },
      defect: `holds '${leaf.subject}', which may not be used for ${missing.join(" and ")}`,
      remedy: `reissue it with the extended key usages ${USAGES_OF[role].join(" and ")}`,
    },
  ];
}

function checkNames(role: TlsRole, { secret, leaf }: Shown, check: TlsCheck): readonly Finding[] {
  switch (role) {
    case "peer":
      return checkPeerNames(secret, leaf, check);
    case "server":
      return checkServerNames(secret, leaf, check);
    case "operator":
      return [];
  }
}
