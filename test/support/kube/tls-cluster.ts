import { createAuthority, issueCertificate } from "../../../src/local/pki.ts";
import { aManifest } from "../scenario/a-manifest.ts";
import type { OperatorNamespace } from "./operator-namespace.ts";

const lifetimeMs = 60 * 60 * 1000;

/** Creates an EtcdCluster of one member that talks to clients over TLS only, and the Secrets that it names. */
export async function createTlsCluster(namespace: OperatorNamespace, name: string): Promise<void> {
  const authority = await createAuthority(`CN=${name}-ca`, lifetimeMs);
  const members = [`*.${name}.${namespace.name}.svc`, `${name}-client.${namespace.name}.svc`, "localhost"];
  const server = { subject: `CN=${name}`, usage: "server", dnsNames: members, ips: ["127.0.0.1"] } as const;
  const [served, asking] = await Promise.all([
    issueCertificate(authority, server, lifetimeMs),
    issueCertificate(authority, { subject: "CN=operator", usage: "client" }, lifetimeMs),
  ]);
  const secret = (kind: string, stringData: object) =>
    namespace.create({ apiVersion: "v1", kind: "Secret", metadata: { name: `${name}-${kind}` }, stringData });
  await secret("server", { "server.crt": served.cert, "server.key": served.key, "server-ca.crt": authority.cert });
  await secret("operator", {
    "etcd-client.crt": asking.cert,
    "etcd-client.key": asking.key,
    "etcd-client-ca.crt": authority.cert,
  });
  const manifest = aManifest(name, { namespace: namespace.name, size: 1 });
  const TLS = { static: { member: { serverSecret: `${name}-server` }, operatorSecret: `${name}-operator` } };
  await namespace.create({ ...manifest, spec: { ...manifest.spec, TLS } });
}
