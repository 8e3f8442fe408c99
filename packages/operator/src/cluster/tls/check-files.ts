import type { Finding } from "./finding.ts";
import type { CertificatesSeen, KeySeen, SecretFiles, SecretSeen } from "./parse-secret.ts";
import { TLS_KEYS, type TlsKeys, type TlsRole } from "./secret-roles.ts";

/** Whether a Secret and its three files are there, can be parsed, and certificate and key belong together. */
export function checkFiles(role: TlsRole, secret: SecretSeen): readonly Finding[] {
  const keys = TLS_KEYS[role];
  switch (secret.kind) {
    case "missing":
      return [missingSecret(secret.name, keys)];
    case "forbidden":
      return [forbiddenSecret(secret.name)];
    case "unread":
      return [unreadSecret(secret.name)];
    case "present":
      return [
        ...checkCertificates(secret.name, keys.certificate, secret.certificate),
        ...checkKey(secret.name, keys, secret.key, secret.certificate),
        ...checkCertificates(secret.name, keys.ca, secret.ca),
        ...checkBundle(secret.name, keys.ca, secret),
        ...checkStrength(secret.name, keys.certificate, secret.certificate),
        ...checkStrength(secret.name, keys.ca, secret.ca),
      ];
  }
}

function missingSecret(secret: string, { certificate, key, ca }: TlsKeys): Finding {
  return {
    ...{ code: "secret-missing", severity: "defect", secret, key: undefined },
    defect: "does not exist",
    remedy: `create it with the keys '${certificate}', '${key}' and '${ca}'`,
  };
}

function forbiddenSecret(secret: string): Finding {
  return {
    ...{ code: "secret-forbidden", severity: "defect", secret, key: undefined },
    defect: "cannot be read by the operator",
    remedy: "grant it the verb get on secrets, as its role in example/rbac does",
  };
}

function unreadSecret(secret: string): Finding {
  return {
    ...{ code: "secret-unread", severity: "defect", secret, key: undefined },
    defect: "could not be read",
    remedy: "it is read again shortly; if that persists, check the log of the API server",
  };
}

function checkCertificates(secret: string, key: string, seen: CertificatesSeen): readonly Finding[] {
  switch (seen.kind) {
    case "usable":
      return [];
    case "missing":
      return [missingKey(secret, key)];
    case "unusable":
      return [
        {
          ...{ code: "unusable", severity: "defect", secret, key, defect: seen.why },
          remedy: "use certificates in PEM, and nothing else",
        },
      ];
  }
}

function checkKey(secret: string, keys: TlsKeys, seen: KeySeen, certificates: CertificatesSeen): readonly Finding[] {
  const found = { severity: "defect", secret, key: keys.key } as const;
  if (seen.kind === "missing") return [missingKey(secret, keys.key)];
  if (seen.kind === "unusable") {
    const remedy = "use an RSA, ECDSA (P-256, P-384, P-521) or Ed25519 key in PEM, without a passphrase";
    return [{ ...found, code: "unusable", defect: seen.why, remedy }];
  }
  if (certificates.kind !== "usable" || seen.matches === 0) return [];
  const defect = `does not belong to the first certificate of '${keys.certificate}'`;
  const remedy =
    seen.matches > 0
      ? `put certificate number ${seen.matches + 1} of '${keys.certificate}', to which it belongs, first`
      : "use a matching pair of key and certificate";
  return [{ ...found, code: "key-mismatch", defect, remedy }];
}

/**
 * A bundle without any authority trusts no certificate, unless it is one self-signed certificate that is used by all.
 * Among authorities, one that is none does no harm, but is most likely a mistake.
 */
function checkBundle(secret: string, key: string, { certificate, ca }: SecretFiles): readonly Finding[] {
  if (ca.kind !== "usable") return [];
  const [own] = certificate.kind === "usable" ? certificate.certificates : [];
  const isTrusting = ca.certificates.some(({ isCa, digest }) => isCa || digest === own?.digest);
  const others = ca.certificates.filter(({ isCa }) => !isCa);
  return others.map(({ subject }) => ({
    ...{ code: "not-a-ca", severity: isTrusting ? "warning" : "defect", secret, key },
    defect: `holds '${subject}', which is not the certificate of an authority (CA:TRUE, keyCertSign)`,
    remedy: "use the certificate of the authority that signed the others",
  }));
}

function checkStrength(secret: string, key: string, seen: CertificatesSeen): readonly Finding[] {
  if (seen.kind !== "usable") return [];
  return seen.certificates.flatMap(({ subject, weakness }) =>
    weakness === undefined
      ? []
      : [
          {
            ...{ code: "weak", severity: "warning", secret, key },
            defect: `holds '${subject}', which ${weakness}`,
            remedy: "reissue it with SHA-256 and an ECDSA key, or RSA of 2048 bits or more: newer etcd refuses it",
          },
        ],
  );
}

function missingKey(secret: string, key: string): Finding {
  const defect = "is missing or empty";
  return { code: "key-missing", severity: "defect", secret, key, defect, remedy: "add it to the Secret" };
}
