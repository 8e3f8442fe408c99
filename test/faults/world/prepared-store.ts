import { readFile } from "node:fs/promises";
import type { KubeClient, KubeObject } from "@etcd-operator/kubernetes-client";
import { parse } from "yaml";
import { apiWorld } from "./api-world.ts";
import type { MemoryEtcd } from "./memory-etcd.ts";

let prepared: Promise<MemoryEtcd> | undefined;

/** A store in which the operator's CRDs and rights lie already: made once, as a copy it costs next to nothing. */
export async function preparedStore(): Promise<MemoryEtcd> {
  prepared ??= prepare();
  return (await prepared).copy();
}

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";

const MANIFESTS = [
  ["deploy/crd/etcdclusters.yaml", CRDS],
  ["deploy/crd/etcdbackups.yaml", CRDS],
  ["deploy/crd/etcdrestores.yaml", CRDS],
  ["deploy/rbac/cluster-role.yaml", `${RBAC}/clusterroles`],
  ["deploy/rbac/cluster-role-binding.yaml", `${RBAC}/clusterrolebindings`],
] as const;

async function prepare(): Promise<MemoryEtcd> {
  const { admin, etcd, close } = await apiWorld();
  for (const name of ["etcd-operator", "tests"]) {
    await post(admin, "/api/v1/namespaces", { metadata: { name } });
  }
  // As the controller of namespaces would: pods need it.
  await post(admin, "/api/v1/namespaces/tests/serviceaccounts", { metadata: { name: "default" } });
  for (const [file, path] of MANIFESTS) {
    await post(admin, path, parse(await readFile(new URL(`../../../${file}`, import.meta.url), "utf8")));
  }
  const store = etcd.copy();
  await close();
  return store;
}

async function post(client: KubeClient, path: string, body: KubeObject): Promise<void> {
  await client.request("POST", path, { body });
}
