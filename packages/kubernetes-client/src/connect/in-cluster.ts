import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { KubernetesError } from "../requests/kubernetes-error.ts";
import { type Clock, systemClock } from "../watch/clock.ts";
import type { Connection } from "./connection.ts";
import { credentialSource, FILE_TRUST_MS } from "./credential.ts";

const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

export function isInCluster(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.KUBERNETES_SERVICE_HOST && env.KUBERNETES_SERVICE_PORT);
}

/** The API server as a pod finds it; the token is read again every minute, because the kubelet renews it. */
export async function inClusterConnection(
  env: NodeJS.ProcessEnv = process.env,
  folder: string = FOLDER,
  clock: Clock = systemClock,
): Promise<Connection> {
  const host = env.KUBERNETES_SERVICE_HOST ?? "";
  const address = host.includes(":") ? `[${host}]` : host;
  return {
    server: `https://${address}:${env.KUBERNETES_SERVICE_PORT}`,
    ca: await fileOf(folder, "ca.crt"),
    namespace: await fileOf(folder, "namespace"),
    credentials: credentialSource(async () => {
      const token = await fileOf(folder, "token");
      return { credential: { authorization: `Bearer ${token}` }, expiresAtMs: clock.now() + FILE_TRUST_MS };
    }, clock),
  };
}

async function fileOf(folder: string, name: string): Promise<string> {
  try {
    return (await readFile(join(folder, name), "utf8")).trim();
  } catch (cause) {
    throw new KubernetesError("unauthorized", {
      operation: `read the pod's ServiceAccount file '${join(folder, name)}'`,
      message: `${String(cause)}; does the pod set automountServiceAccountToken: false?`,
      cause,
    });
  }
}
