import type { ApiContext } from "../api-context.ts";
import { notFound } from "../api-error.ts";
import { type JsonObject, objectIn, valueIn } from "../kube-object.ts";
import { timestamp } from "../meta/timestamp.ts";
import { keyOfTarget, type Target } from "../verbs/target.ts";

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;

/** POST of serviceaccounts/token: a token of the account, for as long as was asked for. */
export async function requestToken(api: ApiContext, target: Target, body: JsonObject): Promise<JsonObject> {
  const entry = await api.store.get(keyOfTarget(target));
  if (!entry) throw notFound(target.resource, target.name);
  const { metadata } = target.resource.codec.read(entry);
  const { expirationSeconds = DEFAULT_SECONDS, audiences = [] } = objectIn(body, "spec");
  const lifetime = Math.max(MIN_SECONDS, Number(expirationSeconds));
  const issuedAt = api.admission.now();
  const expiresAt = new Date(issuedAt.getTime() + lifetime * 1000);
  const { namespace = "", name = "", uid = "" } = metadata;
  const token = api.tokens.sign({ namespace, name, uid, audiences: audiences as string[], issuedAt, expiresAt });
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name, namespace, creationTimestamp: timestamp(issuedAt) },
    spec: {
      ...objectIn(body, "spec"),
      audiences: valueIn(body, "spec", "audiences") ?? [],
      expirationSeconds: lifetime,
    },
    status: { token, expirationTimestamp: timestamp(expiresAt) },
  };
}
