import { readFileSync } from "node:fs";
import { until } from "@etcd-operator/testing/until.ts";
import { parse } from "yaml";
import { type Connection, restOver, watchOver } from "./rest.ts";
import type { ConformanceTarget, Feature, Rest } from "./target.ts";

interface TargetFacts {
  /** Names one cluster and one user; certificates and token may be inside or in files. */
  readonly adminKubeconfig: string;
  /** Where the etcd behind the API server answers, without TLS, such as "http://127.0.0.1:2379". */
  readonly storeEndpoint: string;
  readonly hasControllers: boolean;
  readonly lacks?: readonly Feature[];
}

/** Makes a target of any API server that a kubeconfig leads to. */
export function openTarget(facts: TargetFacts): ConformanceTarget {
  const { adminKubeconfig, storeEndpoint, hasControllers, lacks = [] } = facts;
  const { anybody, admin } = connectionsIn(readFileSync(adminKubeconfig, "utf8"));
  const rest = restOver(admin);
  return {
    adminKubeconfig,
    hasControllers,
    lacks: new Set(lacks),
    rest,
    restWithoutCredentials: restOver(anybody),
    restWithToken: (token) => restOver({ ...anybody, token }),
    watch: (path, signal) => watchOver(admin, path, signal),
    freshNamespace: (labels = {}) => createNamespace(rest, labels, hasControllers),
    forgetHistory: () => compact(storeEndpoint),
  };
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

function connectionsIn(kubeconfig: string): { anybody: Connection; admin: Connection } {
  const config = parse(kubeconfig) as Kubeconfig;
  const { cluster } = config.clusters[0];
  const { user } = config.users[0];
  const ca = dataOrFile(cluster, "certificate-authority");
  const cert = dataOrFile(user, "client-certificate");
  const key = dataOrFile(user, "client-key");
  const { server = "" } = cluster;
  const anybody = { server, ...(ca && { ca }) };
  const { token } = user;
  return { anybody, admin: { ...anybody, ...(cert && { cert }), ...(key && { key }), ...(token && { token }) } };
}

function dataOrFile(entry: Readonly<Record<string, string>>, name: string): Buffer | undefined {
  const { [`${name}-data`]: data, [name]: file } = entry;
  if (data) return Buffer.from(data, "base64");
  return file ? readFileSync(file) : undefined;
}

async function createNamespace(
  rest: Rest,
  labels: Readonly<Record<string, string>>,
  hasControllers: boolean,
): Promise<string> {
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { generateName: "conformance-", labels } };
  const { code, body, text } = await rest("POST", "/api/v1/namespaces", namespace);
  const name = body?.metadata?.name;
  if (code !== 201 || !name) throw new Error(`could not create a namespace: ${code} ${text}`);

  // Admission refuses pods until the namespace has this ServiceAccount.
  const accounts = `/api/v1/namespaces/${name}/serviceaccounts`;
  if (!hasControllers) await rest("POST", accounts, { metadata: { name: "default" } });
  await until(async () => (await rest("GET", `${accounts}/default`)).code === 200, {
    what: `ServiceAccount default in namespace ${name}`,
    everyMs: 10,
  });
  return name;
}

async function compact(storeEndpoint: string): Promise<void> {
  const key = Buffer.from("none").toString("base64");
  const { header } = (await etcd(storeEndpoint, "range", { key })) as { header: { revision: string } };
  // Refused when nothing was written since the last one, which is as good.
  await etcd(storeEndpoint, "compaction", { revision: header.revision }).catch((error: Error) => {
    if (!error.message.includes("required revision has been compacted")) throw error;
  });
}

async function etcd(storeEndpoint: string, operation: string, request: object): Promise<unknown> {
  const answer = await fetch(`${storeEndpoint}/v3/kv/${operation}`, { method: "POST", body: JSON.stringify(request) });
  if (!answer.ok) throw new Error(`etcd refused ${operation}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
