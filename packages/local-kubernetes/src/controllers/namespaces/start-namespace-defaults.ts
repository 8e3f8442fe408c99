import { readFile } from "node:fs/promises";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { ControllerContext } from "../controller-context.ts";
import { WorkQueue } from "../work-queue.ts";

const ACCOUNT = "default";
const ROOT_CA = "kube-root-ca.crt";

/** Gives every namespace what pods in it count on: a ServiceAccount, and the certificate to know the API server by. */
export function startNamespaceDefaults(context: ControllerContext): void {
  const { informers, signal, log } = context;
  const queue = new WorkQueue({ name: "namespace defaults", signal, log, work: (name) => reconcile(context, name) });
  informers.namespaces.onChange((change) => {
    if (change.type === "added" || change.type === "modified") queue.add(change.object.metadata.name);
  });
  for (const informer of [informers.serviceAccounts, informers.configMaps] as const) {
    informer.onChange((change) => {
      if (change.type !== "deleted" && change.type !== "modified") return;
      const { name, namespace } = change.object.metadata;
      if (namespace !== undefined && (name === ACCOUNT || name === ROOT_CA)) queue.add(namespace);
    });
  }
}

async function reconcile(context: ControllerContext, namespace: string): Promise<undefined> {
  const { informers, signal } = context;
  await Promise.all([informers.serviceAccounts, informers.configMaps].map(({ cache }) => cache.waitForSync(signal)));
  const found = informers.namespaces.cache.get({ name: namespace });
  if (!found || found.metadata.deletionTimestamp) return undefined;
  await Promise.all([ensureAccount(context, namespace), ensureRootCa(context, namespace)]);
  return undefined;
}

async function ensureAccount({ client, informers, signal }: ControllerContext, namespace: string): Promise<void> {
  const ref = { namespace, name: ACCOUNT };
  if (informers.serviceAccounts.cache.get(ref)) return;
  await client.create(resources.serviceAccounts, { metadata: ref }, { signal }).catch(ignoreRace);
}

async function ensureRootCa(context: ControllerContext, namespace: string): Promise<void> {
  const { client, config, informers, signal } = context;
  const ref = { namespace, name: ROOT_CA };
  const certificate = await readFile(config.pki.caFile, "utf8");
  const old = informers.configMaps.cache.get(ref);
  if (old?.data?.["ca.crt"] === certificate) return;
  const wanted = { metadata: ref, data: { "ca.crt": certificate } };
  if (old) await client.patch(resources.configMaps, ref, { merge: { data: wanted.data } }, { signal });
  else await client.create(resources.configMaps, wanted, { signal }).catch(ignoreRace);
}

/** Another client made it, or the namespace was deleted meanwhile. */
function ignoreRace(error: unknown): void {
  if (!hasCode(error, "already-exists", "not-found", "forbidden")) throw error;
}
