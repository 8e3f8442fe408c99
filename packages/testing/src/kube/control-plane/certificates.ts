import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createAuthority, issueCertificate, type Leaf } from "@etcd-operator/local-kubernetes/pki.ts";

export interface KeyPairFiles {
  readonly cert: string;
  readonly key: string;
}

export interface ControlPlaneCertificates {
  readonly ca: string;
  readonly server: KeyPairFiles;
  readonly admin: KeyPairFiles;
  readonly controllerManager: KeyPairFiles;
  /** Signs and, its public half being derived from it, verifies the tokens of ServiceAccounts. */
  readonly serviceAccountKey: string;
  /** Signs a further pair, as `<name>.crt` and `<name>.key` in the same directory. */
  issue(name: string, leaf: Leaf): Promise<KeyPairFiles>;
}

const lifetimeMs = 24 * 60 * 60 * 1000;

const serverLeaf = {
  subject: "CN=kube-apiserver",
  usage: "server",
  dnsNames: ["localhost", "kubernetes.default.svc"],
} as const;

const leaves = {
  admin: { subject: "CN=admin, O=system:masters", usage: "client" },
  controllerManager: { subject: "CN=system:kube-controller-manager", usage: "client" },
} as const satisfies Record<string, Leaf>;

/** Writes a CA and everything signed by it that a control plane needs into `directory`. */
export async function writeCertificates(
  directory: string,
  addresses: readonly string[] = [],
): Promise<ControlPlaneCertificates> {
  const authority = await createAuthority("CN=kube-test-ca", lifetimeMs);
  const ca = join(directory, "ca.crt");
  await writeFile(ca, authority.cert);
  const issue = async (name: string, leaf: Leaf): Promise<KeyPairFiles> => {
    const pair = await issueCertificate(authority, leaf, lifetimeMs);
    const files = { cert: join(directory, `${name}.crt`), key: join(directory, `${name}.key`) };
    await writeFile(files.cert, pair.cert);
    await writeFile(files.key, pair.key, { mode: 0o600 });
    return files;
  };
  const [server, admin, controllerManager] = await Promise.all([
    issue("server", { ...serverLeaf, ips: ["127.0.0.1", ...addresses] }),
    issue("admin", leaves.admin),
    issue("controllerManager", leaves.controllerManager),
  ]);
  const serviceAccountKey = join(directory, "service-account.key");
  // In SEC 1 form: kube-apiserver derives no public key from PKCS #8.
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(serviceAccountKey, privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
  return { ca, server, admin, controllerManager, serviceAccountKey, issue };
}
