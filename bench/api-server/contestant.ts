import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fixedCredential } from "../../src/kubernetes/credential.ts";
import { resources } from "../../src/kubernetes/resources.ts";
import { KubeClient } from "../../src/kubernetes/rest-client.ts";
import type { Identity } from "../../src/local/kubeconfig-file.ts";
import { freePorts } from "../../src/local/processes/free-ports.ts";
import { startApiServer } from "../../test/support/kube/api-server.ts";
import { type ControlPlaneCertificates, writeCertificates } from "../../test/support/kube/certificates.ts";
import { startBackingEtcd } from "../../test/support/kube/etcd.ts";
import { restClient } from "../../test/support/kube/rest.ts";
import { until } from "../../test/support/kube/until.ts";
import { openWorkspace, type Workspace } from "../../test/support/kube/workspace.ts";
import type { Cleanup } from "../cleanup.ts";

export const NAMESPACE = "bench";
const ACCOUNT = "bench";

/** An API server alone: a process and an etcd of its own, no controllers, no kubelet. */
export interface Contestant {
  readonly version: string;
  readonly client: KubeClient;
}

interface Started {
  readonly url: string;
  readonly version: string;
  readonly admin: Identity;
}

/** What starts a server in a workspace, over an etcd that runs there. */
export type Starter = (
  workspace: Workspace,
  needs: { readonly certificates: ControlPlaneCertificates; readonly etcdEndpoint: string },
) => Promise<Started>;

/** Starts a server, and speaks to it with the token of a ServiceAccount that may do everything, as an operator does. */
export async function startContestant(start: Starter, cleanup: Cleanup): Promise<Contestant> {
  const workspace = await cleanup.use(openWorkspace("bench-"), ({ close }) => close());
  const certificates = await writeCertificates(workspace.directory);
  const etcdEndpoint = await startBackingEtcd(workspace);
  const { url: server, version, admin } = await start(workspace, { certificates, etcdEndpoint });
  const authorization = `Bearer ${await accountToken(server, certificates.ca, admin)}`;
  const ca = await readFile(certificates.ca, "utf8");
  const client = new KubeClient({ server, ca, credentials: fixedCredential({ authorization }) });
  await cleanup.use(Promise.resolve(client), (opened) => opened.close());
  // Admission gives it to every pod, and there is no controller that would make it.
  await client.create(resources.serviceAccounts, { metadata: { namespace: NAMESPACE, name: "default" } });
  return { version, client };
}

export function realServer(file: string): Starter {
  return async (workspace, { certificates, etcdEndpoint }) => {
    const { url, version } = await startApiServer(workspace, { file, certificates, etcdEndpoint });
    return { url, version, admin: { kind: "certificate", ...certificates.admin } };
  };
}

/** The API server of local mode as a process of its own, as the supervisor starts it. */
export const localServer: Starter = async (workspace, { certificates, etcdEndpoint }) => {
  const [port] = await freePorts(1);
  const url = `https://127.0.0.1:${port}`;
  const token = randomBytes(24).toString("hex");
  const admin = { kind: "token", token } as const;
  const tokenFile = join(workspace.directory, "admin.token");
  await writeFile(tokenFile, token, { mode: 0o600 });
  const { ca: caFile, server } = certificates;
  const config = {
    server: url,
    storeEndpoint: new URL(etcdEndpoint).host,
    serviceCidr: "10.0.0.0/16",
    bridgeIp: "127.0.0.1",
    pki: { caFile, certFile: server.cert, keyFile: server.key, tokenFile },
  };
  const configFile = join(workspace.directory, "config.json");
  await writeFile(configFile, JSON.stringify(config));
  const args = ["dist/local/local.mjs", "part", "apiserver", configFile];
  const { diedEarly } = workspace.run("apiserver", process.execPath, args);
  const rest = await restClient(url, caFile, admin);
  const isReady = async () => (await rest("GET", "/readyz")).code === 200;
  await until(isReady, { what: "the API server of local mode", unless: diedEarly });
  const { body } = await rest<{ gitVersion: string }>("GET", "/version");
  return { url, version: body.gitVersion, admin };
};

async function accountToken(server: string, ca: string, admin: Identity): Promise<string> {
  const rest = await restClient(server, ca, admin);
  const post = async <Body>(path: string, object: object): Promise<Body> => {
    const { code, body, text } = await rest<Body>("POST", path, object);
    if (code !== 201) throw new Error(`POST ${path}: ${text}`);
    return body;
  };
  const accounts = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;
  await post("/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  await post(accounts, { metadata: { name: ACCOUNT } });
  await post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
    metadata: { name: ACCOUNT },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [{ kind: "ServiceAccount", name: ACCOUNT, namespace: NAMESPACE }],
  });
  const { status } = await post<{ status: { token: string } }>(`${accounts}/${ACCOUNT}/token`, { spec: {} });
  return status.token;
}
