import { forbidden } from "../../api-error.ts";
import { type JsonObject, type KubeObject, listIn, textIn } from "../../kube-object.ts";
import type { Admission } from "../admission.ts";
import { fill } from "./fill.ts";

const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
const TOKEN_SECONDS = 3607;

/** Gives a pod its ServiceAccount, which must exist, and mounts the account's token unless that is turned off. */
export async function admitServiceAccount(pod: KubeObject, spec: JsonObject, admission: Admission): Promise<void> {
  fill(spec, { serviceAccountName: "default" });
  spec.serviceAccount = spec.serviceAccountName;
  const { namespace = "", name = "" } = pod.metadata;
  const accountName = textIn(spec, "serviceAccountName");
  const account = await admission.find("", "serviceaccounts", accountName, namespace);
  if (!account) {
    const what = `error looking up service account ${namespace}/${accountName}`;
    throw forbidden({ group: "", plural: "pods" }, name, `${what}: serviceaccount "${accountName}" not found`);
  }
  const wantsToken = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (wantsToken) mountToken(spec, admission);
  if (listIn(spec, "imagePullSecrets").length === 0 && account.imagePullSecrets) {
    spec.imagePullSecrets = structuredClone(account.imagePullSecrets);
  }
}

function mountToken(spec: JsonObject, admission: Admission): void {
  const volumes = listIn(spec, "volumes");
  const name = `kube-api-access-${admission.suffix()}`;
  const containers = [...listIn(spec, "initContainers"), ...listIn(spec, "containers")];
  const without = containers.filter((container) => !listIn(container, "volumeMounts").some(isTokenMount));
  if (without.length === 0) return;
  for (const container of without) {
    container.volumeMounts = [...listIn(container, "volumeMounts"), { name, readOnly: true, mountPath: MOUNT_PATH }];
  }
  spec.volumes = [...volumes, { name, projected: { sources: tokenSources(), defaultMode: 0o644 } }];
}

function isTokenMount({ mountPath }: JsonObject): boolean {
  return mountPath === MOUNT_PATH;
}

function tokenSources(): JsonObject[] {
  const namespaceField = { apiVersion: "v1", fieldPath: "metadata.namespace" };
  return [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: "token" } },
    { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
    { downwardAPI: { items: [{ path: "namespace", fieldRef: namespaceField }] } },
  ];
}
