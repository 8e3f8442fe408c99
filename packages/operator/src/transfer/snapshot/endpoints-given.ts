import { isIPv6 } from "node:net";
import { rootCertificates } from "node:tls";
import type { Endpoint, EndpointTls } from "@etcd-operator/etcd-client";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { CLIENT_PORT } from "../../api/cluster/cluster-names.ts";
import { addressKey } from "../trust/address-class.ts";
import { type AddressRule, guardedLookup, type Resolve, whyNotDialled } from "../trust/guarded-lookup.ts";
import { addressRule, howToTrust } from "../trust/trust.ts";
import { addressesOfNamespace } from "./addresses-of-namespace.ts";
import type { Origin, OriginDeps } from "./origin.ts";
import { readCertificate } from "./read-certificate.ts";
import { SnapshotError } from "./snapshot-error.ts";

interface Given {
  readonly namespace: string;
  /** URLs, or `host:port` as in the examples of coreos/etcd-operator. */
  readonly endpoints: readonly string[];
  /** Name of the Secret with our certificate. */
  readonly secret: string | undefined;
}

/** The endpoints that a user wrote down. */
export async function endpointsGiven(
  deps: OriginDeps,
  { namespace, endpoints, secret }: Given,
  signal: AbortSignal,
): Promise<Origin> {
  const { client } = deps;
  const wanted = endpoints.map((text) => parseEndpoint(text, secret !== undefined));
  const tls = wanted.some(({ isSecure }) => isSecure) ? await tlsOf(client, { namespace, secret }, signal) : undefined;
  const described = await Promise.all(
    wanted.map(async (each): Promise<Endpoint> => {
      const { address, isSecure } = each;
      const rule = await ruleFor(deps, { namespace, hasProof: isSecure && secret !== undefined }, signal);
      await check(each.text, address, rule, deps.trust.resolve);
      return { address, lookup: guardedLookup(rule, deps.trust.resolve), ...(isSecure && tls && { tls }) };
    }),
  );
  return {
    description: `etcdEndpoints ${endpoints.map((text) => `'${text}'`).join(", ")}`,
    endpoints: described,
    clusterId: undefined,
  };
}

/**
 * The operator reaches more than the author of an object does, such as the etcd of other users that asks for no
 * certificate. So without one to show it reaches only pods and Services in the object's own namespace.
 */
async function ruleFor(
  { client, trust }: OriginDeps,
  { namespace, hasProof }: { readonly namespace: string; readonly hasProof: boolean },
  signal: AbortSignal,
): Promise<AddressRule> {
  const never = addressRule(trust);
  if (hasProof || (await trust.isTrusted(namespace, signal))) return never;
  const own = await addressesOfNamespace(client, namespace, signal);
  const elsewhere = `it is not a pod or Service of the namespace '${namespace}': use an https endpoint and spec.clientTLSSecret; or ${howToTrust(namespace)}`;
  return (address) => never(address) ?? (own.has(addressKey(address)) ? undefined : elsewhere);
}

async function check(text: string, address: string, rule: AddressRule, resolve: Resolve | undefined): Promise<void> {
  const why = await whyNotDialled(address.replace(/:[0-9]+$/, ""), rule, resolve);
  if (why === undefined) return;
  throw new SnapshotError("not-allowed", `etcdEndpoint '${text}' is not allowed: ${why}`);
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

/** Without a scheme TLS is used when there is a client certificate. */
function parseEndpoint(text: string, hasCertificate: boolean): { text: string; address: string; isSecure: boolean } {
  const [, scheme, written = ""] = /^(?:(https?):\/\/)?([^/]*)/.exec(text) ?? [];
  // Without brackets the end of such an address is no port.
  const rest = isIPv6(written) ? `[${written}]` : written;
  const hasPort = /:[0-9]+$/.test(rest);
  return {
    text,
    address: hasPort ? rest : `${rest}:${CLIENT_PORT}`,
    isSecure: scheme === undefined ? hasCertificate : scheme === "https",
  };
}
