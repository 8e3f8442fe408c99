import { readFile } from "node:fs/promises";

/** What every process of one local mode is told: who and where its parts are. */
export interface LocalConfig {
  /** Six hex digits that mark everything this instance makes on the machine. */
  readonly instance: string;
  readonly stateDir: string;
  /** The API server as this machine reaches it, such as "https://127.0.0.1:6443". */
  readonly server: string;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly bridge: string;
  readonly bridgeIp: string;
  readonly dnsIp: string;
  readonly clusterDomain: string;
  readonly nodeName: string;
  /** Host and port of the etcd in which the API server keeps everything. */
  readonly storeEndpoint: string;
  readonly kubeletPort: number;
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

export async function loadLocalConfig(path: string): Promise<LocalConfig> {
  return JSON.parse(await readFile(path, "utf8")) as LocalConfig;
}
