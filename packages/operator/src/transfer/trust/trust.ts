import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import { type AddressClass, addressClass } from "./address-class.ts";
import type { AddressRule, Resolve } from "./guarded-lookup.ts";

/** On a Namespace, by which an administrator lets its objects use what is the operator's own. */
export const TRUSTED_ANNOTATION = "etcd.database.coreos.com/trusted";

/** What the administrator says with the operator's flags. */
export interface TrustFlags {
  /** "*" stands for all. */
  readonly trustedNamespaces: readonly string[];
  /** Whether endpoints may be on the operator's own machine, as in local mode or with a gateway in its pod. */
  readonly allowsLoopback: boolean;
  /** For tests that ask no name server: how the addresses of a name are found. */
  readonly resolve?: Resolve | undefined;
}

/**
 * Which namespaces may use the operator's own privileges: its cloud identity and its place in the network. Users who
 * may create objects in the others get no further with the operator than with what lies in their namespace.
 */
export interface Trust extends Pick<TrustFlags, "allowsLoopback" | "resolve"> {
  isTrusted(namespace: string, signal: AbortSignal): Promise<boolean>;
}

/** @param home the namespace of the operator itself, whose users can run pods as its ServiceAccount anyway */
export function trustOf(
  client: Pick<KubeClient, "get">,
  home: string | undefined,
  { trustedNamespaces, allowsLoopback, resolve }: TrustFlags = { trustedNamespaces: [], allowsLoopback: false },
): Trust {
  const named = new Set([...trustedNamespaces, ...(home === undefined ? [] : [home])]);
  return {
    allowsLoopback,
    resolve,
    isTrusted: async (namespace, signal) =>
      named.has("*") || named.has(namespace) || (await isAnnotated(client, namespace, signal)),
  };
}

/** The instructions for an administrator, for a message. */
export function howToTrust(namespace: string): string {
  return `an administrator can annotate the namespace '${namespace}' with ${TRUSTED_ANNOTATION}=true, or name it in --trusted-namespaces`;
}

/** What no object may lead the operator to, trusted or not. */
export function addressRule({ allowsLoopback }: Pick<Trust, "allowsLoopback">): AddressRule {
  return (address) => {
    const found = addressClass(address);
    if (found === undefined || (found === "loopback" && allowsLoopback)) return undefined;
    return `it is ${NAMES[found]}`;
  };
}

const NAMES: Readonly<Record<AddressClass, string>> = {
  loopback: "an address of the operator's own machine",
  "link-local": "a link-local address",
  metadata: "the metadata service of a cloud",
  multicast: "a multicast address",
  unspecified: "not the address of a server",
  reserved: "not the address of a server",
};

/** Read live: it is needed seldom. An operator that may not read Namespaces knows its flags only. */
async function isAnnotated(client: Pick<KubeClient, "get">, name: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { metadata } = await client.get(resources.namespaces, { name }, { signal });
    return metadata?.annotations?.[TRUSTED_ANNOTATION] === "true";
  } catch (error) {
    if (hasCode(error, "not-found", "forbidden")) return false;
    throw error;
  }
}
