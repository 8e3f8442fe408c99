import { rootCertificates } from "node:tls";
import { CLIENT_PORT } from "../../api/cluster-names.ts";
import type { Endpoint, EndpointTls } from "../../etcd/endpoint.ts";
import type { KubeClient } from "../../kubernetes/rest-client.ts";
import type { Origin } from "./origin.ts";
import { readCertificate } from "./read-certificate.ts";

interface Given {
  readonly namespace: string;
  /** URLs, or `host:port` as in the old operator's examples. */
  readonly endpoints: readonly string[];
  /** Name of the Secret with our certificate. */
  readonly secret: string | undefined;
}

/** The endpoints that a user wrote down. */
export async function endpointsGiven(
  client: Pick<KubeClient, "get">,
  { namespace, endpoints, secret }: Given,
  signal: AbortSignal,
): Promise<Origin> {
  const wanted = endpoints.map((text) => parseEndpoint(text, secret !== undefined));
  const tls = wanted.some(({ isSecure }) => isSecure) ? await tlsOf(client, { namespace, secret }, signal) : undefined;
  return {
    description: `etcdEndpoints ${endpoints.map((text) => `'${text}'`).join(", ")}`,
    endpoints: wanted.map(({ address, isSecure }): Endpoint => ({ address, ...(isSecure && tls && { tls }) })),
    clusterId: undefined,
  };
}

async function tlsOf(
  client: Pick<KubeClient, "get">,
  { namespace, secret }: Pick<Given, "namespace" | "secret">,
  signal: AbortSignal,
): Promise<EndpointTls> {
  if (secret) return readCertificate(client, { namespace, name: secret }, "spec.clientTLSSecret", signal);
  // An https endpoint that asks for no certificate may well have one of a public authority.
  return { ca: rootCertificates.join("\n") };
}

/** Without a scheme it speaks TLS when there is a certificate to speak it with. */
function parseEndpoint(text: string, hasCertificate: boolean): { address: string; isSecure: boolean } {
  const [, scheme, rest = ""] = /^(?:(https?):\/\/)?([^/]*)/.exec(text) ?? [];
  const hasPort = /:[0-9]+$/.test(rest);
  return {
    address: hasPort ? rest : `${rest}:${CLIENT_PORT}`,
    isSecure: scheme === undefined ? hasCertificate : scheme === "https",
  };
}
