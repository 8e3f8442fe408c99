import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { Informer, resources, withoutManagedFields } from "@etcd-operator/kubernetes-client";
import type { LocalConfig } from "../config.ts";
import { ensureBridge } from "./bridge.ts";
import { startDnsServer } from "./dns/dns-server.ts";
import { routesOf } from "./proxy/routes.ts";
import { ServiceProxy } from "./proxy/service-proxy.ts";
import { ServiceDirectory } from "./service-directory.ts";

export interface NetworkOptions {
  readonly client: KubeClient;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

export interface RunningNetwork {
  /** Resolves after the abort, when nothing listens any more. The bridge stays, for the pods that are on it. */
  readonly stopped: Promise<void>;
}

const API_SERVICE = "default/kubernetes";
const DNS_PORT = 53;

/** Brings up the bridge, then serves names and Services on it; resolves when pods can be started. */
export async function startNetwork(config: LocalConfig, options: NetworkOptions): Promise<RunningNetwork> {
  const { client, signal, log } = options;
  await ensureBridge(config, signal);

  const proxy = new ServiceProxy({ log });
  proxy.setRoutes(API_SERVICE, apiRoutes(config));
  const directory = new ServiceDirectory((key, entry) => {
    if (key !== API_SERVICE) proxy.setRoutes(key, entry ? routesOf(entry) : new Map());
  });
  const informed = follow(directory, client, signal, log);
  await startDnsServer({
    ip: config.dnsIp,
    port: DNS_PORT,
    names: directory,
    clusterDomain: config.clusterDomain,
    isComplete: informed.isComplete,
    signal,
  });
  return { stopped: informed.ended.then(() => proxy.close()) };
}

/**
 * The API server is a process of this machine, not a pod: its Service works also before anybody can be asked about
 * Services.
 */
function apiRoutes({ server, serviceCidr }: LocalConfig): ReadonlyMap<string, readonly [{ ip: string; port: number }]> {
  const { hostname, port } = new URL(server);
  return new Map([[`${firstAddress(serviceCidr)}:443`, [{ ip: hostname, port: Number(port || 443) }]]]);
}

function firstAddress(cidr: string): string {
  const [a, b, c, d] = (cidr.split("/")[0] ?? "").split(".").map(Number);
  return `${a}.${b}.${c}.${(d ?? 0) + 1}`;
}

function follow(
  directory: ServiceDirectory,
  client: KubeClient,
  signal: AbortSignal,
  log: (line: string) => void,
): { isComplete: () => boolean; ended: Promise<unknown> } {
  const onError = (error: unknown) => log(`cannot follow Services: ${String(error)}`);
  const services = new Informer({ client, resource: resources.services, onError, transform: withoutManagedFields });
  const slices = new Informer({ client, resource: resources.endpointSlices, onError, transform: withoutManagedFields });
  services.onChange((change) => {
    if (change.type === "added" || change.type === "modified") directory.setService(change.object);
    if (change.type === "deleted") directory.removeService(change.object);
  });
  slices.onChange((change) => {
    if (change.type === "added" || change.type === "modified") directory.setSlice(change.object);
    if (change.type === "deleted") directory.removeSlice(change.object);
  });
  return {
    isComplete: () => services.cache.hasSynced && slices.cache.hasSynced,
    ended: Promise.all([services.run(signal), slices.run(signal)]),
  };
}
