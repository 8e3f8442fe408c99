import { readFile } from "node:fs/promises";
import type { TokenRequest } from "kubernetes-types/authentication/v1.d.ts";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { Informer } from "../../../kubernetes/informer.ts";
import { keyOf, refOf, type Stored } from "../../../kubernetes/kube-object.ts";
import { hasCode } from "../../../kubernetes/kubernetes-error.ts";
import { pathOf } from "../../../kubernetes/resource.ts";
import { resources } from "../../../kubernetes/resources.ts";
import type { ControllerContext } from "../controller-context.ts";
import { WorkQueue } from "../work-queue.ts";

const TYPE = "kubernetes.io/service-account-token";
const NAME = "kubernetes.io/service-account.name";
const UID = "kubernetes.io/service-account.uid";
// They never expire: this is as long as can be asked for.
const LIFETIME_SECONDS = 2 ** 32;

/** Puts a token into each Secret that is meant for one of a ServiceAccount, and removes the Secret with the account. */
export function startAccountTokens(context: ControllerContext): void {
  const { client, informers, signal, log } = context;
  const secrets = new Informer<Secret>({
    client,
    resource: resources.secrets,
    fieldSelector: `type=${TYPE}`,
    onError: (error) => log(`account tokens: ${String(error)}`),
  });
  const work = (key: string) => reconcile(context, secrets.cache.get(refOf(key)));
  const queue = new WorkQueue({ name: "account tokens", signal, log, work });
  secrets.onChange((change) => {
    if (change.type === "added" || change.type === "modified") queue.add(keyOf(change.object.metadata));
  });
  informers.serviceAccounts.onChange((change) => {
    if (change.type !== "deleted") return;
    const { namespace, name } = change.object.metadata;
    for (const { metadata } of secrets.cache.list(namespace)) {
      if (metadata.annotations?.[NAME] === name) queue.add(keyOf(metadata));
    }
  });
  void secrets.run(signal);
}

async function reconcile(context: ControllerContext, secret: Stored<Secret> | undefined): Promise<undefined> {
  const { client, config, signal } = context;
  if (!secret || secret.metadata.deletionTimestamp) return undefined;
  const { namespace, name, uid, annotations = {} } = secret.metadata;
  const ref = { namespace, name };
  const account = { namespace, name: annotations[NAME] ?? "" };
  const found = await client.get(resources.serviceAccounts, account, { signal }).catch(absent);
  if (!found || (annotations[UID] ?? found.metadata.uid) !== found.metadata.uid) {
    await client.delete(resources.secrets, ref, { preconditions: { uid }, signal }).catch(absent);
    return undefined;
  }
  const ca = await readFile(config.pki.caFile, "base64");
  const { data = {} } = secret;
  if (data.token && data["ca.crt"] === ca && data.namespace && annotations[UID]) return undefined;
  const token = data.token ?? encoded(await requestToken(context, account, secret));
  const merge = {
    // The token is of this Secret alone: one that took its name meanwhile is to have its own.
    metadata: { uid, annotations: { [UID]: found.metadata.uid } },
    data: { "ca.crt": ca, namespace: encoded(namespace ?? ""), token },
  };
  await client.patch(resources.secrets, ref, { merge }, { signal });
  return undefined;
}

/** Bound to the Secret, so that whoever deletes that takes the token back. */
async function requestToken(
  { client, signal }: ControllerContext,
  account: { readonly namespace: string | undefined; readonly name: string },
  { metadata }: Stored<Secret>,
): Promise<string> {
  const boundObjectRef = { apiVersion: "v1", kind: "Secret", name: metadata.name, uid: metadata.uid };
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: { audiences: [], expirationSeconds: LIFETIME_SECONDS, boundObjectRef },
  };
  const path = pathOf(resources.serviceAccounts, { ...account, subresource: "token" });
  const { status } = await client.request<TokenRequest>("POST", path, { body, signal });
  return status?.token ?? "";
}

function encoded(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

function absent(error: unknown): undefined {
  if (!hasCode(error, "not-found", "conflict")) throw error;
}
