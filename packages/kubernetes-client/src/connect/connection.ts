import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import type { Dispatcher } from "undici";
import { KubernetesError } from "../requests/kubernetes-error.ts";
import type { CredentialSource } from "./credential.ts";
import { inClusterConnection, isInCluster } from "./in-cluster.ts";
import { connectionFromKubeconfig } from "./kubeconfig.ts";

/** Where the API server is, how to trust it, and who we are. */
export interface Connection {
  readonly server: string;
  readonly credentials: CredentialSource;
  /** PEM; the system's own when absent. */
  readonly ca?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** The name in the server's certificate, where it differs from the one in `server`. */
  readonly serverName?: string | undefined;
  readonly proxyUrl?: string | undefined;
  /** What the context or the ServiceAccount calls its own. */
  readonly namespace?: string | undefined;
  /** What carries the requests, where it is not the network: tests stand between client and server here. */
  readonly carrier?: Carrier | undefined;
}

/** As much of undici's dispatcher as a client needs. */
export type Carrier = Pick<Dispatcher, "request" | "close" | "destroy">;

interface Wishes {
  /** Path of a kubeconfig; wins over everything else. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Finds the API server as controllers usually do: the given file, $KUBECONFIG, the pod's ServiceAccount,
 * ~/.kube/config.
 */
export async function loadConnection({ kubeconfig, context, env = process.env }: Wishes = {}): Promise<Connection> {
  if (kubeconfig) return connectionFromKubeconfig(kubeconfig, context);
  const paths = (env.KUBECONFIG ?? "").split(delimiter).filter(Boolean);
  if (paths.length > 0) return connectionFromKubeconfig(paths, context);
  if (isInCluster(env)) return inClusterConnection(env);
  const own = join(env.HOME ?? homedir(), ".kube", "config");
  if (existsSync(own)) return connectionFromKubeconfig(own, context);
  throw new KubernetesError("invalid", {
    operation: "find the API server",
    message: `no --kubeconfig, no $KUBECONFIG, no ServiceAccount of a pod and no '${own}': pass --kubeconfig`,
  });
}
