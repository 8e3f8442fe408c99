import { readFile } from "node:fs/promises";

/** What every process of one local mode is told: who and where its parts are. */
export interface LocalConfig {
  /** Six hex digits that mark everything this instance makes on the machine. */
  readonly instance: string;
  readonly stateDir: string;
  /** The API server as this machine reaches it, such as "https://127.0.0.1:6443". */
  readonly server: string;
  /** The addresses of all pods; each node has a part of them. */
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly bridge: string;
  readonly bridgeIp: string;
  readonly dnsIp: string;
  readonly clusterDomain: string;
  /** At least one, each with a kubelet of its own. */
  readonly nodes: readonly NodePlace[];
  /** How long a node may be silent before it is given up, where it is not as usual. */
  readonly nodeLifecycle?: { readonly graceMs: number };
  /**
   * The etcd in which the API server keeps everything: a Unix socket, as it has no other lock than the folder that this
   * is in.
   */
  readonly storeEndpoint: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Paths of PEM files, and of the file with the administrator's token. */
  readonly pki: {
    readonly caFile: string;
    readonly certFile: string;
    readonly keyFile: string;
    readonly tokenFile: string;
  };
}

/** What one node is, and what tells it from the others. */
export interface NodePlace {
  readonly nodeName: string;
  /** Where the others see it; on the bridge, beside all other nodes. */
  readonly nodeIp: string;
  readonly nodePodCidr: string;
  readonly zone: string;
  /** Where its kubelet listens, on 127.0.0.1. */
  readonly kubeletPort: number;
}

/** What a kubelet is told: the same as everybody, and which of the nodes it is. */
export type KubeletConfig = LocalConfig & NodePlace;

/** The configuration of one node's kubelet; of the first node where no name is given. */
export function kubeletConfig(config: LocalConfig, nodeName?: string): KubeletConfig {
  const place = nodeName === undefined ? config.nodes[0] : config.nodes.find((node) => node.nodeName === nodeName);
  if (!place)
    throw new Error(`There is no node ${nodeName}; there are ${config.nodes.map((it) => it.nodeName).join(", ")}`);
  return { ...config, ...place };
}

export async function loadLocalConfig(path: string): Promise<LocalConfig> {
  return JSON.parse(await readFile(path, "utf8")) as LocalConfig;
}
