// Must come before @peculiar/x509, whose dependency injection looks for it while loading.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** The moment at which tests check certificates, so that none of them ages. */
export const NOW_MS = Date.parse("2026-06-15T12:00:00Z");
export const DAY_MS = 86_400_000;

const RSA = { name: "RSASSA-PKCS1-v1_5", publicExponent: new Uint8Array([1, 0, 1]) };
const ALGORITHMS = {
  ec: { name: "ECDSA", namedCurve: "P-256" },
  rsa2048: { ...RSA, modulusLength: 2048 },
  rsa1024: { ...RSA, modulusLength: 1024 },
  ed25519: { name: "Ed25519" },
};

export interface CertificateRequest {
  readonly subject?: string;
  /** The authority that signs it; without one it signs itself. */
  readonly by?: Issued;
  readonly isCa?: boolean;
  /** What an authority may do; a certificate of one that may not sign others is possible, and wrong. */
  readonly mayNotSign?: boolean;
  readonly dnsNames?: readonly string[];
  /** Undefined makes a certificate without the extension: it may be used for anything. */
  readonly usages?: readonly (keyof typeof ExtendedKeyUsage)[];
  readonly notBeforeMs?: number;
  readonly notAfterMs?: number;
  readonly algorithm?: keyof typeof ALGORITHMS;
  /** Signed over a digest that must not be used any more. */
  readonly isSha1?: boolean;
  /** Another certificate for a key that is there. */
  readonly keys?: webcrypto.CryptoKeyPair;
}

export interface Issued {
  readonly cert: string;
  readonly key: string;
  readonly subject: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

/** For tests: a certificate with whatever is right or wrong with it. */
export async function issue(request: CertificateRequest = {}): Promise<Issued> {
  const { subject = "CN=leaf", by, notBeforeMs = NOW_MS - DAY_MS, notAfterMs = NOW_MS + 365 * DAY_MS } = request;
  const hash = request.isSha1 ? "SHA-1" : "SHA-256";
  // An RSA key signs over one digest for life.
  const algorithm = { ...ALGORITHMS[request.algorithm ?? "ec"], hash };
  const keys = request.keys ?? (await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]));
  if (!("privateKey" in keys)) throw new Error("not a pair of keys");
  const signer = by?.keys ?? keys;
  const certificate = await X509CertificateGenerator.create({
    subject,
    issuer: by?.subject ?? subject,
    publicKey: keys.publicKey,
    signingKey: signer.privateKey,
    signingAlgorithm: { hash, ...signer.privateKey.algorithm },
    notBefore: new Date(notBeforeMs),
    notAfter: new Date(notAfterMs),
    extensions: extensionsOf(request),
  });
  const pkcs8 = await webcrypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: certificate.toString("pem"), key: PemConverter.encode(pkcs8, "PRIVATE KEY"), subject, keys };
}

/** An authority of its own. */
export async function anAuthority(subject = "CN=ca", request: CertificateRequest = {}): Promise<Issued> {
  return issue({ subject, isCa: true, ...request });
}

function extensionsOf({ isCa = false, mayNotSign = false, dnsNames = [], usages }: CertificateRequest): Extension[] {
  const mayDo = isCa && !mayNotSign ? KeyUsageFlags.keyCertSign : KeyUsageFlags.digitalSignature;
  return [
    new BasicConstraintsExtension(isCa, undefined, true),
    new KeyUsagesExtension(mayDo, true),
    ...(usages ? [new ExtendedKeyUsageExtension(usages.map((usage) => ExtendedKeyUsage[usage]))] : []),
    ...(dnsNames.length > 0
      ? [new SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: "dns", value })))]
      : []),
  ];
}
