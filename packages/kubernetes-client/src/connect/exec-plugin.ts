import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { KubernetesError } from "../requests/kubernetes-error.ts";
import { messageOf } from "../values/message-of.ts";
import type { Loaded } from "./credential.ts";
import type { Cluster } from "./kubeconfig.ts";

/** The `exec` block of a kubeconfig's user. */
export interface ExecPlugin {
  readonly apiVersion?: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly provideClusterInfo?: boolean;
  readonly interactiveMode?: "Never" | "IfAvailable" | "Always";
  readonly installHint?: string;
}

interface ExecCredential {
  readonly apiVersion?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

const API_VERSIONS = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];
const TIMEOUT_MS = 60_000;
const MOST_OUTPUT_BYTES = 1 << 20;

/** Asks a credential plugin, by the protocol of client.authentication.k8s.io. */
export async function runExecPlugin(plugin: ExecPlugin, cluster: Cluster, folder: string): Promise<Loaded> {
  const operation = `run the credential plugin '${plugin.command}'`;
  const complain = (message: string, cause?: unknown) =>
    new KubernetesError("unauthorized", { operation, message, cause });
  if (!API_VERSIONS.includes(plugin.apiVersion ?? ""))
    throw complain(`its API version '${plugin.apiVersion}' is not supported`);
  if (plugin.interactiveMode === "Always") throw complain("it requires a terminal, and there is none");
  try {
    const status = statusOf(plugin, await outputOf(plugin, cluster, folder));
    const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
    if (!token && !(cert && key)) throw new Error("it returned neither a token nor a certificate with its key");
    return {
      credential: { ...(token && { authorization: `Bearer ${token}` }), ...(cert && key && { cert, key }) },
      expiresAtMs: expirationTimestamp ? Date.parse(expirationTimestamp) : undefined,
    };
  } catch (cause) {
    const why = messageOf(cause);
    throw complain(plugin.installHint ? `${why}. ${plugin.installHint}` : why, cause);
  }
}

async function outputOf(plugin: ExecPlugin, cluster: Cluster, folder: string): Promise<string> {
  const { provideClusterInfo } = plugin;
  const info = {
    apiVersion: plugin.apiVersion,
    kind: "ExecCredential",
    spec: { interactive: false, ...(provideClusterInfo && { cluster }) },
  };
  // Only a command with a slash is a path, and that one starts from the kubeconfig's folder.
  const command = plugin.command.includes("/") ? resolve(folder, plugin.command) : plugin.command;
  const { stdout } = await promisify(execFile)(command, [...(plugin.args ?? [])], {
    env: {
      ...process.env,
      ...Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value])),
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    },
    timeout: TIMEOUT_MS,
    // One that does not heed a wish to end would be waited for all the same.
    killSignal: "SIGKILL",
    maxBuffer: MOST_OUTPUT_BYTES,
  });
  return stdout;
}

function statusOf(plugin: ExecPlugin, output: string): NonNullable<ExecCredential["status"]> {
  const answer = JSON.parse(output) as ExecCredential;
  if (answer.apiVersion !== plugin.apiVersion) {
    throw new Error(`it answered in '${answer.apiVersion}', not in '${plugin.apiVersion}'`);
  }
  return answer.status ?? {};
}
