import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { freePorts } from "@etcd-operator/local-kubernetes";
import type { Identity } from "@etcd-operator/local-kubernetes/kubeconfig-file.ts";
import { customResourceDefinition } from "@etcd-operator/operator/api/crd/custom-resource-definition.ts";
import { kinds } from "@etcd-operator/operator/api/kinds.ts";
import { startApiServer } from "@etcd-operator/testing/kube/control-plane/api-server.ts";
import {
  type ControlPlaneCertificates,
  writeCertificates,
} from "@etcd-operator/testing/kube/control-plane/certificates.ts";
import { startBackingEtcd } from "@etcd-operator/testing/kube/control-plane/etcd.ts";
import { openWorkspace, type Workspace } from "@etcd-operator/testing/kube/control-plane/workspace.ts";
import { restClient } from "@etcd-operator/testing/kube/rest.ts";
import { until } from "@etcd-operator/testing/until.ts";

/** Where the API server is, and as whom to speak to it. */
export interface Access {
  readonly server: string;
  /** PEM of its CA. */
  readonly ca: string;
  readonly identity: { readonly token: string } | { readonly cert: string; readonly key: string };
}

/** An API server and its store, each a process of its own; nothing else runs. */
export interface LoneApiServer {
  readonly access: Access;
  close(): Promise<void>;
}

export interface LoneApiServerGiven {
  /** A kube-apiserver to start instead of the API server of local mode. */
  readonly kubeApiServer?: string;
}

/** Starts the API server of local mode as the supervisor does, or a real one, with our kind in it. */
export async function startLoneApiServer({ kubeApiServer }: LoneApiServerGiven = {}): Promise<LoneApiServer> {
  const workspace = await openWorkspace("bench-api-");
  try {
    const certificates = await writeCertificates(workspace.directory);
    const etcdEndpoint = await startBackingEtcd(workspace);
    const { url, admin } = kubeApiServer
      ? await realServer(workspace, kubeApiServer, certificates, etcdEndpoint)
      : await localServer(workspace, certificates, etcdEndpoint);
    await serveOurKind(url, certificates.ca, admin);
    return {
      access: { server: url, ca: await readFile(certificates.ca, "utf8"), identity: await contentsOf(admin) },
      close: () => workspace.close(),
    };
  } catch (error) {
    await workspace.close();
    throw error;
  }
}

interface Started {
  readonly url: string;
  readonly admin: Identity;
}

async function realServer(
  workspace: Workspace,
  file: string,
  certificates: ControlPlaneCertificates,
  etcdEndpoint: string,
): Promise<Started> {
  const { url } = await startApiServer(workspace, { file, certificates, etcdEndpoint });
  return { url, admin: { kind: "certificate", ...certificates.admin } };
}

async function localServer(
  workspace: Workspace,
  { ca: caFile, server: pair }: ControlPlaneCertificates,
  etcdEndpoint: string,
): Promise<Started> {
  const [port] = await freePorts(1);
  const [url, token] = [`https://127.0.0.1:${port}`, randomBytes(24).toString("hex")];
  const tokenFile = join(workspace.directory, "admin.token");
  await writeFile(tokenFile, token, { mode: 0o600 });
  const config = {
    ...{ server: url, storeEndpoint: new URL(etcdEndpoint).host, serviceCidr: "10.0.0.0/16", bridgeIp: "127.0.0.1" },
    pki: { caFile, certFile: pair.cert, keyFile: pair.key, tokenFile },
  };
  const configFile = join(workspace.directory, "config.json");
  await writeFile(configFile, JSON.stringify(config));
  const args = ["dist/local/local.mjs", "part", "apiserver", configFile];
  const { diedEarly } = workspace.run("apiserver", process.execPath, args);
  const rest = await restClient(url, caFile, { kind: "token", token });
  await until(async () => (await rest("GET", "/readyz")).code === 200, { what: "the API server", unless: diedEarly });
  return { url, admin: { kind: "token", token } };
}

async function serveOurKind(url: string, ca: string, admin: Identity): Promise<void> {
  const rest = await restClient(url, ca, admin);
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const { code, text } = await rest("POST", definitions, customResourceDefinition(kinds.EtcdCluster));
  if (code !== 201) throw new Error(`POST ${definitions}: ${text}`);
  const isServed = async () => (await rest("GET", "/apis/etcd.database.coreos.com/v1beta2/etcdclusters")).code === 200;
  await until(isServed, { what: "our kind to be served" });
}

async function contentsOf(identity: Identity): Promise<Access["identity"]> {
  if (identity.kind === "token") return { token: identity.token };
  if (identity.kind === "anonymous") throw new Error("an administrator has a name");
  const [cert, key] = await Promise.all([identity.cert, identity.key].map((file) => readFile(file, "utf8")));
  return { cert: cert ?? "", key: key ?? "" };
}
