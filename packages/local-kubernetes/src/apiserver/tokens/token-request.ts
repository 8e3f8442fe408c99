import type { ApiContext } from "../api-context.ts";
import { type ApiError, badRequest, conflict, invalid, notFound } from "../api-error.ts";
import { invalid as invalidValue } from "../crd/cause.ts";
import { isObject, type JsonObject, type KubeObject, objectIn, textIn } from "../kube-object.ts";
import { timestamp } from "../meta/timestamp.ts";
import { keyOfTarget, type Target } from "../verbs/target.ts";
import { type BoundObject, ISSUER } from "./service-account-tokens.ts";

const DEFAULT_SECONDS = 3600;
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
// What admission writes into pods. Programs that never read the file again get a year, as long as their pod lives.
const POD_SECONDS = 3607;
const EXTENDED_SECONDS = 365 * 24 * 60 * 60;

/** POST of serviceaccounts/token: a token of the account, for as long as was asked for. */
export async function requestToken(api: ApiContext, target: Target, body: JsonObject): Promise<JsonObject> {
  const spec = objectIn(body, "spec");
  const lifetime = lifetimeOf(spec);
  const entry = await api.store.get(keyOfTarget(target));
  if (!entry) throw notFound(target.resource, target.name);
  const { namespace = "", name = "", uid = "" } = target.resource.codec.read(entry).metadata;
  const bound = await boundObjects(api, namespace, name, spec.boundObjectRef);
  const audiences = Array.isArray(spec.audiences) && spec.audiences.length > 0 ? spec.audiences : [ISSUER];
  const issuedAt = api.admission.now();
  const after = (seconds: number) => new Date(issuedAt.getTime() + seconds * 1000);
  const isExtended = lifetime === POD_SECONDS && bound[0]?.kind === "pod" && audiences.join() === ISSUER;
  const token = api.tokens.sign({
    ...{ namespace, name, uid, audiences, issuedAt, bound },
    expiresAt: after(isExtended ? EXTENDED_SECONDS : lifetime),
    ...(isExtended && { warnAfter: after(lifetime) }),
  });
  return {
    kind: "TokenRequest",
    apiVersion: "authentication.k8s.io/v1",
    metadata: { name, namespace, uid, creationTimestamp: timestamp(issuedAt) },
    spec: { audiences, expirationSeconds: lifetime, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: timestamp(after(lifetime)) },
  };
}

function lifetimeOf({ expirationSeconds = DEFAULT_SECONDS }: JsonObject): number {
  const seconds = Number(expirationSeconds);
  if (seconds < MIN_SECONDS) throw refused(seconds, "may not specify a duration less than 10 minutes");
  if (seconds > MAX_SECONDS) throw refused(seconds, "may not specify a duration larger than 2^32 seconds");
  return seconds;
}

function refused(seconds: number, why: string): ApiError {
  const kind = { group: "authentication.k8s.io", kind: "TokenRequest" };
  return invalid(kind, "", [invalidValue("spec.expirationSeconds", seconds, why)]);
}

const BINDABLE: Readonly<Record<string, BoundObject["kind"]>> = { Pod: "pod", Secret: "secret", Node: "node" };

/** The object that the token shall go with, and the node of a pod. */
async function boundObjects(api: ApiContext, namespace: string, account: string, ref: unknown): Promise<BoundObject[]> {
  if (!isObject(ref)) return [];
  const { kind, apiVersion, name, uid } = { kind: "", apiVersion: "", name: "", uid: "", ...ref } as Ref;
  const bindable = apiVersion === "v1" ? BINDABLE[kind] : undefined;
  if (!bindable) throw badRequest(`cannot bind token to object of type /${apiVersion}, Kind=${kind}`);
  const found = await find(api, bindable, name, namespace);
  if (!found) throw notFound({ group: "", plural: `${bindable}s` }, name);
  if (uid !== "" && uid !== found.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. `;
    throw conflict({ group: "", plural: kind }, name, `${why}The object might have been deleted and then recreated`);
  }
  const bound = { kind: bindable, name, uid: found.metadata.uid ?? "" };
  if (bindable !== "pod") return [bound];
  if (textIn(found, "spec", "serviceAccountName") !== account) {
    const what = `serviceaccount "${account}" to pod running with different serviceaccount name.`;
    throw badRequest(`cannot bind token for ${what}`);
  }
  return [bound, ...(await nodeOf(api, found))];
}

interface Ref {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string;
  readonly uid: string;
}

async function nodeOf(api: ApiContext, pod: KubeObject): Promise<BoundObject[]> {
  const name = textIn(pod, "spec", "nodeName");
  if (name === "") return [];
  const node = await find(api, "node", name);
  return [{ kind: "node", name, uid: node?.metadata.uid ?? "" }];
}

async function find(api: ApiContext, kind: BoundObject["kind"], name: string, namespace?: string) {
  return api.admission.find("", `${kind}s`, name, kind === "node" ? undefined : namespace);
}
