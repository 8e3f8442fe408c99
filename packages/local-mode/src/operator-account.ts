import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeClient, KubeObject } from "@etcd-operator/kubernetes-client";
import { hasCode, pathOf, type Resource, resources } from "@etcd-operator/kubernetes-client";
import type { LocalConfig } from "@etcd-operator/local-kubernetes";
import { localClient, repositoryRoot, writeKubeconfig } from "@etcd-operator/local-kubernetes";
import type { TokenRequest } from "kubernetes-types/authentication/v1.d.ts";
import type { Role } from "kubernetes-types/rbac/v1.d.ts";
import { parse } from "yaml";

const ROLE_FILE = join(repositoryRoot() ?? ".", "example/rbac/role-template.yaml");
// A namespace and names that no manifest of ours has, so that the user's own operator gets its rights from the user's
// manifests only.
const ACCOUNT = { namespace: "kube-system", name: "etcd-operator" };
/** What it works for. */
export const NAMESPACE = "default";
const ROLE = "local:etcd-operator";
// It is not renewed: no local mode runs for a year.
const TOKEN_SECONDS = 365 * 24 * 60 * 60;

/**
 * Gives the operator beside a local mode exactly the rights of example/rbac in its namespace, and returns the path of
 * its kubeconfig.
 */
export async function operatorAccount(config: LocalConfig): Promise<string> {
  const client = await localClient(config, "supervisor");
  try {
    await grantRights(client);
    const path = pathOf(resources.serviceAccounts, { ...ACCOUNT, subresource: "token" });
    const body = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences: [], expirationSeconds: TOKEN_SECONDS },
    };
    const { status } = await client.request<TokenRequest>("POST", path, { body });
    return await writeKubeconfig(join(config.stateDir, "operator.kubeconfig"), {
      name: "local",
      server: config.server,
      ca: config.pki.caFile,
      identity: { kind: "token", token: status?.token ?? "" },
    });
  } finally {
    await client.close();
  }
}

async function grantRights(client: KubeClient): Promise<void> {
  const { rules = [] } = parse(await readFile(ROLE_FILE, "utf8")) as Role;
  const metadata = { namespace: NAMESPACE, name: ROLE };
  await ensure(client, resources.serviceAccounts, { metadata: ACCOUNT });
  await ensure(client, resources.roles, { metadata, rules });
  await ensure(client, resources.roleBindings, {
    metadata,
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: ROLE },
    subjects: [{ kind: "ServiceAccount", ...ACCOUNT }],
  });
  await withdraw(client, resources.clusterRoleBindings);
  await withdraw(client, resources.clusterRoles);
}

/** What an earlier version granted in all namespaces, in a state that is kept between runs. */
async function withdraw<T extends KubeObject>(client: KubeClient, resource: Resource<T>): Promise<void> {
  await client.delete(resource, { name: ROLE }).catch((error: unknown) => {
    if (!hasCode(error, "not-found")) throw error;
  });
}

async function ensure<T extends KubeObject>(client: KubeClient, resource: Resource<T>, object: T): Promise<void> {
  try {
    await client.create(resource, object);
  } catch (error) {
    if (!hasCode(error, "already-exists")) throw error;
    const { name = "", namespace } = object.metadata ?? {};
    await client.patch(resource, { name, ...(namespace && { namespace }) }, { merge: object });
  }
}
