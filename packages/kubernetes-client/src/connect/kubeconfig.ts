import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parse } from "yaml";
import { KubernetesError } from "../requests/kubernetes-error.ts";
import { messageOf } from "../values/message-of.ts";
import { type Clock, systemClock } from "../watch/clock.ts";
import type { Connection } from "./connection.ts";
import {
  type Credential,
  type CredentialSource,
  credentialSource,
  FILE_TRUST_MS,
  fixedCredential,
} from "./credential.ts";
import { type ExecPlugin, runExecPlugin } from "./exec-plugin.ts";

export interface Cluster {
  readonly server?: string;
  readonly "certificate-authority"?: string;
  readonly "certificate-authority-data"?: string;
  readonly "insecure-skip-tls-verify"?: boolean;
  readonly "tls-server-name"?: string;
  readonly "proxy-url"?: string;
}

interface User {
  readonly token?: string;
  readonly tokenFile?: string;
  readonly "client-certificate"?: string;
  readonly "client-certificate-data"?: string;
  readonly "client-key"?: string;
  readonly "client-key-data"?: string;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: ExecPlugin;
  readonly "auth-provider"?: { readonly name?: string };
}

interface Context {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** A kubeconfig file, its entries with the folder that their relative paths start from. */
interface Config {
  readonly current: string | undefined;
  readonly clusters: ReadonlyMap<string, Located<Cluster>>;
  readonly users: ReadonlyMap<string, Located<User>>;
  readonly contexts: ReadonlyMap<string, Located<Context>>;
}

interface Located<Entry> {
  readonly entry: Entry;
  readonly folder: string;
}

/** Reads a kubeconfig, or several of which the first to name something wins, as kubectl does. */
export async function connectionFromKubeconfig(
  paths: string | readonly string[],
  contextName?: string,
  clock: Clock = systemClock,
): Promise<Connection> {
  const files = [paths].flat();
  const complain = (message: string, cause?: unknown) =>
    new KubernetesError("invalid", { operation: `read kubeconfig '${files.join("', '")}'`, message, cause });
  try {
    const config = merged(await Promise.all(files.map(readConfig)));
    const name = contextName ?? config.current;
    const context = config.contexts.get(name ?? "")?.entry;
    if (!context) throw complain(name ? `it has no context '${name}'` : "it has no current-context: name one");
    const { entry: cluster, folder } = config.clusters.get(context.cluster ?? "") ?? {};
    if (!cluster?.server || !folder) throw complain(`context '${name}' names no cluster with a server`);
    return {
      server: cluster.server,
      ca: await inlineOrFile(cluster["certificate-authority-data"], cluster["certificate-authority"], folder),
      insecureSkipTlsVerify: cluster["insecure-skip-tls-verify"],
      serverName: cluster["tls-server-name"],
      proxyUrl: cluster["proxy-url"],
      namespace: context.namespace,
      credentials: credentialsOf(config.users.get(context.user ?? ""), cluster, clock),
    };
  } catch (cause) {
    throw cause instanceof KubernetesError ? cause : complain(messageOf(cause), cause);
  }
}

function credentialsOf(user: Located<User> | undefined, cluster: Cluster, clock: Clock): CredentialSource {
  if (!user) return fixedCredential();
  const { entry, folder } = user;
  const { exec } = entry;
  if (exec) return credentialSource(() => runExecPlugin(exec, cluster, folder), clock);
  if (entry["auth-provider"]) {
    throw new Error(`auth-provider '${entry["auth-provider"].name}' is not supported: use an exec plugin instead`);
  }
  const fromFiles = entry.tokenFile || entry["client-certificate"] || entry["client-key"];
  return credentialSource(
    async () => ({
      credential: await credentialOf(entry, folder),
      expiresAtMs: fromFiles ? clock.now() + FILE_TRUST_MS : undefined,
    }),
    clock,
  );
}

async function credentialOf(user: User, folder: string): Promise<Credential> {
  const cert = await inlineOrFile(user["client-certificate-data"], user["client-certificate"], folder);
  const key = await inlineOrFile(user["client-key-data"], user["client-key"], folder);
  // As in kubectl, the file wins over the token beside it.
  const token = user.tokenFile ? (await readFile(resolve(folder, user.tokenFile), "utf8")).trim() : user.token;
  const basic = Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64");
  const authorization = token ? `Bearer ${token}` : user.username ? `Basic ${basic}` : undefined;
  return { ...(authorization && { authorization }), ...(cert && key && { cert, key }) };
}

async function inlineOrFile(base64: string | undefined, path: string | undefined, folder: string) {
  if (base64) return Buffer.from(base64, "base64").toString("utf8");
  return path ? readFile(resolve(folder, path), "utf8") : undefined;
}

async function readConfig(path: string): Promise<Config> {
  // Every JSON document is a YAML document.
  const config = (parse(await readFile(path, "utf8")) ?? {}) as Record<string, unknown>;
  const folder = dirname(resolve(path));
  return {
    current: config["current-context"] as string | undefined,
    clusters: located<Cluster>(config.clusters, "cluster", folder),
    users: located<User>(config.users, "user", folder),
    contexts: located<Context>(config.contexts, "context", folder),
  };
}

function located<Entry>(entries: unknown, field: string, folder: string): Map<string, Located<Entry>> {
  const list = Array.isArray(entries) ? (entries as Record<string, unknown>[]) : [];
  return new Map(list.map((item) => [String(item.name), { entry: (item[field] ?? {}) as Entry, folder }]));
}

function merged(configs: readonly Config[]): Config {
  const firstWins = [...configs].reverse();
  return {
    current: configs.find(({ current }) => current)?.current,
    clusters: new Map(firstWins.flatMap(({ clusters }) => [...clusters])),
    users: new Map(firstWins.flatMap(({ users }) => [...users])),
    contexts: new Map(firstWins.flatMap(({ contexts }) => [...contexts])),
  };
}
