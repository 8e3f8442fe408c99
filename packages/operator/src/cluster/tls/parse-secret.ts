import { createHash, createPrivateKey, type KeyObject } from "node:crypto";
import { LeastRecent } from "@etcd-operator/kubernetes-client";
import { type Certificate, parseCertificate } from "./certificate.ts";
import { TLS_KEYS, type TlsRole } from "./secret-roles.ts";

/**
 * The Secrets that the spec names, as they were found; a role without a Secret is absent. None of it is key material.
 */
export type TlsSecrets = Readonly<Partial<Record<TlsRole, SecretSeen>>>;

export type SecretSeen =
  | { readonly kind: "missing"; readonly name: string }
  /** We are not allowed to read it. */
  | { readonly kind: "forbidden"; readonly name: string }
  /** The API server did not give it, this time. */
  | { readonly kind: "unread"; readonly name: string }
  | (SecretFiles & { readonly kind: "present"; readonly name: string });

export interface SecretFiles {
  /** The certificate itself first, then those between it and the authority. */
  readonly certificate: CertificatesSeen;
  readonly key: KeySeen;
  readonly ca: CertificatesSeen;
}

export type CertificatesSeen =
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly why: string }
  | { readonly kind: "usable"; readonly certificates: readonly Certificate[] };

export type KeySeen =
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly why: string }
  /**
   * `matches`: which certificate of the file beside it belongs to it, from 0; -1 for none. The key itself is not kept.
   */
  | { readonly kind: "usable"; readonly matches: number };

interface PemBlock {
  readonly type: string;
  readonly text: string;
}

// Those that Go can use; OpenSSL, and so Node, know more.
const USABLE_CURVES = ["secp224r1", "prime256v1", "secp384r1", "secp521r1"];

/** Reads the three files of a Secret in the way etcd does, from the base64 that the API server gives. */
export function parseSecret(role: TlsRole, name: string, data: Readonly<Record<string, string>>): SecretSeen {
  const keys = TLS_KEYS[role];
  const textOf = (key: string) => Buffer.from(data[key] ?? "", "base64").toString("utf8");
  const certificate = parseOwnCertificates(textOf(keys.certificate));
  const key = parseKey(textOf(keys.key), certificate.kind === "usable" ? certificate.certificates : []);
  return { kind: "present", name, certificate, key, ca: parseBundle(textOf(keys.ca)) };
}

/** Go skips every block that is not a certificate. */
function parseOwnCertificates(text: string): CertificatesSeen {
  return parseCertificates(
    text,
    pemBlocks(text).filter(({ type }) => type === "CERTIFICATE"),
  );
}

/**
 * By the hash of their text, which may hold by mistake what is not to be kept. There are few of them for many clusters,
 * and the same one is in all Secrets of a cluster.
 */
const bundles = new LeastRecent<CertificatesSeen>(64);

/** Here etcd takes every block for a certificate, and does not start when one is not. */
function parseBundle(text: string): CertificatesSeen {
  const hash = createHash("sha256").update(text).digest("base64");
  return bundles.get(hash, () => parseCertificates(text, pemBlocks(text)));
}

function parseCertificates(text: string, blocks: readonly PemBlock[]): CertificatesSeen {
  if (text.trim() === "") return { kind: "missing" };
  if (blocks.length === 0) return { kind: "unusable", why: "holds no certificate in PEM" };
  const certificates: Certificate[] = [];
  for (const [index, { type, text: pem }] of blocks.entries()) {
    try {
      certificates.push(parseCertificate(pem));
    } catch {
      return { kind: "unusable", why: `holds a block that is not a certificate (number ${index + 1}, ${type})` };
    }
  }
  return { kind: "usable", certificates };
}

function parseKey(text: string, certificates: readonly Certificate[]): KeySeen {
  if (text.trim() === "") return { kind: "missing" };
  const block = pemBlocks(text).find(({ type }) => /(^| )PRIVATE KEY$/.test(type));
  if (!block) return { kind: "unusable", why: "holds no private key in PEM" };
  if (isEncrypted(block)) return { kind: "unusable", why: "is encrypted, and etcd has no way to get the passphrase" };
  try {
    const key = createPrivateKey(block.text);
    if (!isUsable(key)) return { kind: "unusable", why: `is a key of a kind that etcd cannot use (${kindOf(key)})` };
    return { kind: "usable", matches: certificates.findIndex(({ x509 }) => x509.checkPrivateKey(key)) };
  } catch {
    // The message of OpenSSL does not help users, and it may quote the key.
    return { kind: "unusable", why: "holds a private key that cannot be parsed" };
  }
}

function pemBlocks(text: string): readonly PemBlock[] {
  const found = text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g);
  return [...found].map(([whole, type = ""]) => ({ type, text: whole }));
}

function isEncrypted({ type, text }: PemBlock): boolean {
  return type === "ENCRYPTED PRIVATE KEY" || /^Proc-Type:.*ENCRYPTED/m.test(text);
}

function isUsable({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  if (asymmetricKeyType === "ec") return USABLE_CURVES.includes(asymmetricKeyDetails?.namedCurve ?? "");
  return asymmetricKeyType === "rsa" || asymmetricKeyType === "ed25519";
}

function kindOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  return asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType ?? "unknown";
}
