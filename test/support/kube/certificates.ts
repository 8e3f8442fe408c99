// Must come before @peculiar/x509, whose dependency injection looks for it while loading.
import "reflect-metadata";
import { generateKeyPairSync, webcrypto } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";

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
}

interface Authority {
  readonly subject: string;
  readonly key: webcrypto.CryptoKey;
}

interface Leaf {
  readonly subject: string;
  readonly usage: x509.ExtendedKeyUsage;
  readonly names?: x509.JsonGeneralNames;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const lifetimeMs = 24 * 60 * 60 * 1000;

const serverNames: x509.JsonGeneralNames = [
  { type: "ip", value: "127.0.0.1" },
  { type: "dns", value: "localhost" },
  { type: "dns", value: "kubernetes.default.svc" },
];

/** Writes a CA and everything signed by it that a control plane needs into `directory`. */
export async function writeCertificates(directory: string): Promise<ControlPlaneCertificates> {
  const ca = join(directory, "ca.crt");
  const authority = await writeAuthority(ca);
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const leaf = (name: string, wanted: Leaf) => writeLeaf(join(directory, name), authority, wanted);
  const [server, admin, controllerManager] = await Promise.all([
    leaf("server", { subject: "CN=kube-apiserver", usage: serverAuth, names: serverNames }),
    leaf("admin", { subject: "CN=admin, O=system:masters", usage: clientAuth }),
    leaf("controller-manager", { subject: "CN=system:kube-controller-manager", usage: clientAuth }),
  ]);
  const serviceAccountKey = join(directory, "service-account.key");
  // In SEC 1 form: kube-apiserver derives no public key from PKCS #8.
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await writeFile(serviceAccountKey, privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
  return { ca, server, admin, controllerManager, serviceAccountKey };
}

async function writeAuthority(file: string): Promise<Authority> {
  const subject = "CN=kube-test-ca";
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
    ...validity(),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  await writeFile(file, certificate.toString("pem"));
  return { subject, key: keys.privateKey };
}

async function writeLeaf(path: string, authority: Authority, { subject, usage, names }: Leaf): Promise<KeyPairFiles> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.create({
    subject,
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: algorithm,
    ...validity(),
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([usage]),
      // An empty list of names would make an extension that Go refuses.
      ...(names ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  const files = { cert: `${path}.crt`, key: `${path}.key` };
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  await writeFile(files.cert, certificate.toString("pem"));
  await writeFile(files.key, x509.PemConverter.encode(pkcs8, "PRIVATE KEY"), { mode: 0o600 });
  return files;
}

function validity() {
  const now = Date.now();
  return { notBefore: new Date(now - 60_000), notAfter: new Date(now + lifetimeMs) };
}
