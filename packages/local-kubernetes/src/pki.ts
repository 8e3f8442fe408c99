// Must come before @peculiar/x509, whose dependency injection looks for it while loading.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

/** A certificate and its private key, in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The signing key; it is kept in memory only, so no more certificates can be issued afterwards. */
export interface Authority {
  readonly cert: string;
  readonly subject: string;
  readonly key: webcrypto.CryptoKey;
}

export interface Leaf {
  readonly subject: string;
  readonly usage: "server" | "client";
  readonly ips?: readonly string[];
  readonly dnsNames?: readonly string[];
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** A fresh CA, trusted by those that are given its certificate. */
export async function createAuthority(subject: string, lifetimeMs: number): Promise<Authority> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: subject,
    keys,
    signingAlgorithm: algorithm,
    ...validity(lifetimeMs),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return { cert: certificate.toString("pem"), subject, key: keys.privateKey };
}

/** Signs a certificate for a new key. */
export async function issueCertificate(authority: Authority, leaf: Leaf, lifetimeMs: number): Promise<KeyPair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { serverAuth, clientAuth } = x509.ExtendedKeyUsage;
  const names = namesOf(leaf);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: leaf.subject,
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey: authority.key,
    signingAlgorithm: algorithm,
    ...validity(lifetimeMs),
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([leaf.usage === "server" ? serverAuth : clientAuth]),
      // An empty list of names would make an extension that Go refuses.
      ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
    ],
  });
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: certificate.toString("pem"), key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
}

function namesOf({ ips = [], dnsNames = [] }: Leaf): x509.JsonGeneralNames {
  return [
    ...ips.map((value) => ({ type: "ip" as const, value })),
    ...dnsNames.map((value) => ({ type: "dns" as const, value })),
  ];
}

function validity(lifetimeMs: number) {
  const now = Date.now();
  return { notBefore: new Date(now - 60_000), notAfter: new Date(now + lifetimeMs) };
}
