import type { TlsRole } from "@etcd-operator/operator/cluster/tls/secret-roles.ts";
import { type CertificateRequest, DAY_MS, type Issued, issue } from "@etcd-operator/testing/tls/issue.ts";
import { dataOf } from "@etcd-operator/testing/tls/tls-secrets.ts";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { NAMESPACE } from "./fleet-names.ts";

/**
 * The Secret with the certificate of all members of a cluster; it begins with the name of the cluster, as all that is
 * copied with it.
 */
export function serverSecretOf(cluster: string): string {
  return `${cluster}-server-tls`;
}

function operatorSecretOf(cluster: string): string {
  return `${cluster}-client-tls`;
}

/** Where the spec of a cluster says that its certificates are. */
export function tlsOf(cluster: string): object {
  return { static: { member: { serverSecret: serverSecretOf(cluster) }, operatorSecret: operatorSecretOf(cluster) } };
}

/**
 * The certificates of a fleet: for each cluster one of its members, and one for the operator. All are of one authority.
 */
export class FleetCertificates {
  readonly #authority: Issued;

  static async create(): Promise<FleetCertificates> {
    return new FleetCertificates(await issue({ subject: "CN=fleet", isCa: true, ...lifetime() }));
  }

  private constructor(authority: Issued) {
    this.#authority = authority;
  }

  async secretsOf(cluster: string): Promise<readonly Secret[]> {
    return Promise.all([this.#operatorSecret(cluster), this.#serverSecret(cluster)]);
  }

  async #operatorSecret(cluster: string): Promise<Secret> {
    return this.#secret("operator", operatorSecretOf(cluster), { subject: "CN=operator", usages: ["clientAuth"] });
  }

  async #serverSecret(cluster: string): Promise<Secret> {
    const client = `${cluster}-client`;
    const clientNames = [client, `${client}.${NAMESPACE}`, `${client}.${NAMESPACE}.svc`];
    const dnsNames = [`*.${cluster}.${NAMESPACE}.svc`, ...clientNames, "localhost"];
    const request: CertificateRequest = { subject: "CN=server", dnsNames, usages: ["serverAuth", "clientAuth"] };
    return this.#secret("server", serverSecretOf(cluster), request);
  }

  async #secret(role: TlsRole, name: string, request: CertificateRequest): Promise<Secret> {
    const { cert, key } = await issue({ ...request, by: this.#authority, ...lifetime() });
    const data = dataOf(role, { certificate: cert, key, ca: this.#authority.cert });
    return { metadata: { namespace: NAMESPACE, name }, data };
  }
}

function lifetime(): Pick<CertificateRequest, "notBeforeMs" | "notAfterMs"> {
  const nowMs = Date.now();
  return { notBeforeMs: nowMs - DAY_MS, notAfterMs: nowMs + 365 * DAY_MS };
}
