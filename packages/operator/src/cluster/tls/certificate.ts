import { createHash, X509Certificate } from "node:crypto";

/** What there is to know of one certificate. */
export interface Certificate {
  /** In one line, for messages. */
  readonly subject: string;
  /** Of the complete certificate. */
  readonly digest: string;
  /**
   * Of subject and public key: a pool that holds one certificate of an authority believes what the authority signs with
   * another.
   */
  readonly identity: string;
  /** In lower case. The common name is not among them: Go has ignored it since 1.15. */
  readonly dnsNames: readonly string[];
  /** Object ids of the extended key usages; undefined when it may be used for anything. */
  readonly usages: readonly string[] | undefined;
  readonly isCa: boolean;
  readonly isSelfIssued: boolean;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly weakness: string | undefined;
  readonly x509: X509Certificate;
}

const LEAST_RSA_BITS = 2048;
const DIGEST_LENGTH = 16;
// RSA with MD5, RSA with SHA-1 and ECDSA with SHA-1: digests that can be forged.
const FORGEABLE = ["1.2.840.113549.1.1.4", "1.2.840.113549.1.1.5", "1.2.840.10045.4.1"];

/** Reads one certificate in PEM; throws when it is none. */
export function parseCertificate(pem: string): Certificate {
  const x509 = new X509Certificate(pem);
  const { subject, issuer, publicKey } = x509;
  return {
    subject: (subject ?? "").replaceAll("\n", ", ") || "(no subject)",
    digest: digestOf(x509.raw),
    identity: digestOf(subject ?? "", publicKey.export({ type: "spki", format: "der" })),
    dnsNames: dnsNamesIn(x509.subjectAltName ?? ""),
    usages: x509.keyUsage,
    isCa: x509.ca,
    isSelfIssued: subject === issuer,
    notBeforeMs: Date.parse(x509.validFrom),
    notAfterMs: Date.parse(x509.validTo),
    weakness: weaknessOf(x509),
    x509,
  };
}

/** By certificate, then by its possible issuers. */
const verified = new WeakMap<Certificate, WeakMap<Certificate, boolean>>();

/**
 * Whether one certificate was signed by another, which is allowed to sign certificates. It stays so, and costs some
 * work to find out.
 */
export function isIssuedBy(certificate: Certificate, issuer: Certificate): boolean {
  const known = verified.get(certificate) ?? new WeakMap<Certificate, boolean>();
  const isIssued = known.get(issuer) ?? isSignedBy(certificate, issuer);
  verified.set(certificate, known.set(issuer, isIssued));
  return isIssued;
}

function isSignedBy({ x509 }: Certificate, issuer: Certificate): boolean {
  return issuer.isCa && x509.checkIssued(issuer.x509) && x509.verify(issuer.x509.publicKey);
}

/** Long enough for no two certificates of one user to share it. */
export function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, DIGEST_LENGTH);
}

// Node puts what could be taken for a separator in quotes; no DNS name needs them, so such a value is skipped as a
// whole.
function dnsNamesIn(subjectAltName: string): string[] {
  const entries = subjectAltName.matchAll(/([^:,]+):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/g);
  return [...entries].flatMap(([, type, value = ""]) => (type === "DNS" ? [value.toLowerCase()] : []));
}

function weaknessOf(x509: X509Certificate): string | undefined {
  const { asymmetricKeyDetails: { modulusLength } = {} } = x509.publicKey;
  if (modulusLength !== undefined && modulusLength < LEAST_RSA_BITS)
    return `has an RSA key of ${modulusLength} bits only`;
  // The self-signature of an authority needs no check: a verifier already has the certificate.
  if (x509.subject !== x509.issuer && FORGEABLE.includes(x509.signatureAlgorithmOid))
    return "is signed with SHA-1 or MD5";
  return undefined;
}
