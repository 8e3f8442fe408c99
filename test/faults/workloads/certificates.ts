import { TLS_KEYS, TLS_ROLES, type TlsRole } from "@etcd-operator/operator/cluster/tls/secret-roles.ts";
import { anAuthority, type CertificateRequest, type Issued, issue } from "@etcd-operator/testing/tls/issue.ts";
import { dataOf } from "@etcd-operator/testing/tls/tls-secrets.ts";
import { NAMESPACE } from "../world/world.ts";
import { CLUSTER } from "./stage.ts";

/** The Secrets of one step: the data of each, by its name. */
export type Secrets = Readonly<Record<TlsRole, Readonly<Record<string, string>>>>;

/** What a user who changes from one authority to another puts into the Secrets, one after the other. */
export interface Rotation {
  readonly first: Secrets;
  readonly trustingBoth: Secrets;
  readonly ofTheOther: Secrets;
  readonly trustingTheOther: Secrets;
}

/** Whatever the virtual time is. */
const VALID = { notBeforeMs: Date.UTC(2000, 0), notAfterMs: Date.UTC(2099, 0) };

function wishesIn(namespace: string): Readonly<Record<TlsRole, CertificateRequest>> {
  const [service, client] = [`${CLUSTER}.${namespace}.svc`, `${CLUSTER}-client`];
  return {
    peer: { dnsNames: [`*.${service}`, `*.${service}.cluster.local`], usages: ["serverAuth", "clientAuth"] },
    server: {
      dnsNames: [`*.${service}`, client, `${client}.${namespace}`, `${client}.${namespace}.svc`, "localhost"],
      usages: ["serverAuth", "clientAuth"],
    },
    operator: { usages: ["clientAuth"] },
  };
}

const made = new Map<string, Promise<Rotation>>();

/** The same for all runs of a process: keys take time to make, and no behaviour depends on them. */
export async function rotation(namespace = NAMESPACE): Promise<Rotation> {
  const known = made.get(namespace) ?? make(wishesIn(namespace));
  made.set(namespace, known);
  return known;
}

async function make(wishes: Readonly<Record<TlsRole, CertificateRequest>>): Promise<Rotation> {
  const [old, other] = await Promise.all([anAuthority("CN=old", VALID), anAuthority("CN=other", VALID)]);
  const [first, last] = await Promise.all([leavesOf(old, wishes), leavesOf(other, wishes)]);
  return {
    first: secretsOf(first, [old]),
    trustingBoth: secretsOf(first, [old, other]),
    ofTheOther: secretsOf(last, [old, other]),
    trustingTheOther: secretsOf(last, [other]),
  };
}

type Leaves = ReadonlyMap<TlsRole, Issued>;

async function leavesOf(by: Issued, wishes: Readonly<Record<TlsRole, CertificateRequest>>): Promise<Leaves> {
  const issued = TLS_ROLES.map(
    async (role) => [role, await issue({ ...VALID, ...wishes[role], subject: `CN=${role}`, by })] as const,
  );
  return new Map(await Promise.all(issued));
}

function secretsOf(leaves: Leaves, trusted: readonly Issued[]): Secrets {
  const ca = trusted.map(({ cert }) => cert).join("\n");
  const dataFor = (role: TlsRole) =>
    dataOf(role, { certificate: leaves.get(role)?.cert, key: leaves.get(role)?.key, ca });
  return { peer: dataFor("peer"), server: dataFor("server"), operator: dataFor("operator") };
}

/** What the spec of a cluster says that is to use them. */
export const TLS = {
  static: {
    member: { peerSecret: secretName("peer"), serverSecret: secretName("server") },
    operatorSecret: secretName("operator"),
  },
};

export function secretName(role: TlsRole): string {
  return TLS_KEYS[role].certificate.replace(".crt", "-tls");
}
