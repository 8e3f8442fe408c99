import { parseSecret, type SecretSeen, type TlsSecrets } from "@etcd-operator/operator/cluster/tls/parse-secret.ts";
import { TLS_KEYS, type TlsRole } from "@etcd-operator/operator/cluster/tls/secret-roles.ts";
import { anAuthority, type CertificateRequest, type Issued, issue } from "./issue.ts";

/** The text of the three files of a Secret; undefined where a key is missing. */
export interface Files {
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly ca?: string | undefined;
}

/** What the certificates of the cluster `example` in the namespace `prod` should look like. */
export const SOUND: Readonly<Record<TlsRole, CertificateRequest>> = {
  peer: {
    subject: "CN=peer",
    dnsNames: ["*.example.prod.svc", "*.example.prod.svc.cluster.local"],
    usages: ["serverAuth", "clientAuth"],
  },
  server: {
    subject: "CN=server",
    dnsNames: [
      ...["*.example.prod.svc", "example-client", "example-client.prod", "example-client.prod.svc", "localhost"],
    ],
    usages: ["serverAuth", "clientAuth"],
  },
  operator: { subject: "CN=operator", usages: ["clientAuth"] },
};

/** For tests: the Secrets of STATIC_TLS, sound but for what the case is about. */
export class SecretsUnderTest {
  readonly ca: Issued;
  readonly #files: Record<TlsRole, Files>;

  static async create(ca?: Issued): Promise<SecretsUnderTest> {
    const authority = ca ?? (await anAuthority());
    const [peer, server, operator] = await Promise.all([
      filesOf(authority, SOUND.peer),
      filesOf(authority, SOUND.server),
      filesOf(authority, SOUND.operator),
    ]);
    return new SecretsUnderTest(authority, { peer, server, operator });
  }

  private constructor(ca: Issued, files: Record<TlsRole, Files>) {
    this.ca = ca;
    this.#files = files;
  }

  files(role: TlsRole): Files {
    return this.#files[role];
  }

  /** With other files in one Secret, or in some. */
  with(change: Partial<Record<TlsRole, Files>>): TlsSecrets {
    const roles: readonly TlsRole[] = ["peer", "server", "operator"];
    return Object.fromEntries(roles.map((role) => [role, aSecret(role, { ...this.#files[role], ...change[role] })]));
  }

  /** With another certificate, signed by the same authority unless the request names one. */
  async withCertificate(role: TlsRole, request: CertificateRequest): Promise<TlsSecrets> {
    const { cert, key } = await issue({ ...SOUND[role], by: this.ca, ...request });
    return this.with({ [role]: { certificate: cert, key } });
  }

  /** With another bundle everywhere. */
  withBundle(...authorities: readonly Issued[]): TlsSecrets {
    const ca = authorities.map(({ cert }) => cert).join("\n");
    return this.with({ peer: { ca }, server: { ca }, operator: { ca } });
  }
}

/** A Secret as the reader parses it, called after its role as in STATIC_TLS. */
export function aSecret(role: TlsRole, files: Files): SecretSeen {
  return parseSecret(role, role, dataOf(role, files));
}

/** What the API server gives as the `data` of a Secret. */
export function dataOf(role: TlsRole, files: Files): Record<string, string> {
  const keys = TLS_KEYS[role];
  const texts = { [keys.certificate]: files.certificate, [keys.key]: files.key, [keys.ca]: files.ca };
  const present = Object.entries(texts).filter(([, text]) => text !== undefined);
  return Object.fromEntries(present.map(([key, text = ""]) => [key, Buffer.from(text).toString("base64")]));
}

async function filesOf(by: Issued, request: CertificateRequest): Promise<Files> {
  const { cert, key } = await issue({ ...request, by });
  return { certificate: cert, key, ca: by.cert };
}
