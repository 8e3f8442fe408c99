import { TLS_KEYS, type TlsRole } from "@etcd-operator/operator/cluster/tls/secret-roles.ts";
import { anAuthority, type CertificateRequest, DAY_MS, type Issued, issue } from "@etcd-operator/testing/tls/issue.ts";
import { CLUSTER } from "../../workloads/stage.ts";
import { NAMESPACE } from "../../world/world.ts";

type Files = Readonly<Record<string, string>>;

/** Virtual time begins there. */
const AROUND_MS = Date.UTC(2030, 0, 1);
const VALID = { notBeforeMs: AROUND_MS - 100 * DAY_MS, notAfterMs: AROUND_MS + 1_000 * DAY_MS };

const MEMBERS = `*.${CLUSTER}.${NAMESPACE}.svc`;
const SERVICE = `${CLUSTER}-client`;
const WISHES: Readonly<Record<TlsRole, CertificateRequest>> = {
  peer: { dnsNames: [MEMBERS], usages: ["serverAuth", "clientAuth"] },
  server: {
    dnsNames: [MEMBERS, SERVICE, `${SERVICE}.${NAMESPACE}`, `${SERVICE}.${NAMESPACE}.svc`, "localhost"],
    usages: ["serverAuth", "clientAuth"],
  },
  operator: { usages: ["clientAuth"] },
};

let made: Promise<readonly (readonly [string, Files])[]> | undefined;

/**
 * Two sets of Secrets by one authority: `peer`, `server` and `operator`, and the same with `-2`. Made once, before time
 * stands still.
 */
export function tlsSecrets(): Promise<readonly (readonly [string, Files])[]> {
  made ??= make();
  return made;
}

async function make(): Promise<readonly (readonly [string, Files])[]> {
  const ca = await anAuthority("CN=ca", VALID);
  const roles = Object.keys(WISHES) as TlsRole[];
  return Promise.all(
    roles.flatMap((role) => ["", "-2"].map(async (suffix) => [`${role}${suffix}`, await filesOf(role, ca)] as const)),
  );
}

async function filesOf(role: TlsRole, ca: Issued): Promise<Files> {
  const { cert, key } = await issue({ ...WISHES[role], ...VALID, subject: `CN=${role}`, by: ca });
  const keys = TLS_KEYS[role];
  return { [keys.certificate]: cert, [keys.key]: key, [keys.ca]: ca.cert };
}
