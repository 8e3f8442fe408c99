import { until } from "../../until.ts";
import { kubectl, kubectlOrThrow } from "../kubectl.ts";

const names = ["etcdclusters", "etcdbackups", "etcdrestores"].map((plural) => `crd/${plural}.etcd.database.coreos.com`);

/** Applies deploy/crd as a user would, and returns once the API server serves the kinds everywhere. */
export async function applyCrds({ adminKubeconfig }: { readonly adminKubeconfig: string }): Promise<void> {
  await kubectlOrThrow(adminKubeconfig, ["apply", "-f", "deploy/crd"]);
  await kubectlOrThrow(adminKubeconfig, ["wait", "--for=condition=Established", "--timeout=60s", ...names]);
  await until(() => isKnownToAdmission(adminKubeconfig), { what: "admission to know the kinds", timeoutMs: 60_000 });
}

// OwnerReferencesPermissionEnforcement looks kinds up in a list that it renews every half minute, and answers 403 until
// then.
async function isKnownToAdmission(adminKubeconfig: string): Promise<boolean> {
  const owner = { apiVersion: "etcd.database.coreos.com/v1beta2", kind: "EtcdCluster", name: "x", uid: "x" };
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { generateName: "known-", ownerReferences: [{ ...owner, blockOwnerDeletion: true }] },
  };
  const args = ["create", "--dry-run=server", "-n", "default", "-f", "-"];
  return (await kubectl(adminKubeconfig, args, { input: JSON.stringify(object) })).code === 0;
}
