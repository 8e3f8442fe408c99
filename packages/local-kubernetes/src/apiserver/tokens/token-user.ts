import type { ApiContext } from "../api-context.ts";
import { notFound } from "../api-error.ts";
import type { User } from "../http/exchange.ts";
import type { KubeObject } from "../kube-object.ts";
import { type BoundObject, ISSUER, type TokenClaims } from "./service-account-tokens.ts";

export type TokenUser =
  | { readonly kind: "known"; readonly user: User; readonly audiences: readonly string[] }
  | { readonly kind: "refused"; readonly why: readonly string[] };

// A pod that is being deleted still needs its token to end well.
const LEEWAY_MS = 60_000;

/** Whose token it is, if it is meant for one of the audiences and what it is bound to still exists. */
export async function userOfToken(
  api: ApiContext,
  token: string,
  audiences: readonly string[] = [ISSUER],
): Promise<TokenUser> {
  const claims = api.tokens.check(token, api.admission.now());
  if (!claims) return refused();
  const shared = claims.audiences.filter((audience) => audiences.includes(audience));
  if (shared.length === 0) {
    const meant = quotedList(claims.audiences);
    return refused(`token audiences ${meant} is invalid for the target audiences ${quotedList(audiences)}`);
  }
  const { namespace, name, uid } = claims;
  const why =
    (await reasonAgainst(api, "serviceaccounts", { name, uid }, namespace)) ??
    (await reasonAgainstBound(api, claims, namespace));
  return why === undefined ? { kind: "known", user: userOf(claims), audiences: shared } : refused(why);
}

function refused(...why: readonly string[]): TokenUser {
  return { kind: "refused", why: ["invalid bearer token", ...why] };
}

async function reasonAgainstBound(api: ApiContext, { bound }: TokenClaims, namespace: string) {
  // The node of a pod is only mentioned: the pod is what the token goes with.
  const tied = bound.find(({ kind }) => kind !== "node") ?? bound[0];
  return tied && reasonAgainst(api, `${tied.kind}s`, tied, tied.kind === "node" ? undefined : namespace);
}

async function reasonAgainst(
  api: ApiContext,
  plural: string,
  { name, uid }: Pick<BoundObject, "name" | "uid">,
  namespace: string | undefined,
): Promise<string | undefined> {
  const found = await api.admission.find("", plural, name, namespace);
  if (!found || isGone(found, api.admission.now())) return notFound({ group: "", plural }, name).message;
  // One of the same name that was made later is another one.
  return found.metadata.uid === uid ? undefined : `${plural} "${name}" is another one than that of the token`;
}

function isGone({ metadata }: KubeObject, now: Date): boolean {
  const { deletionTimestamp } = metadata;
  return deletionTimestamp !== undefined && Date.parse(deletionTimestamp) + LEEWAY_MS < now.getTime();
}

function userOf({ namespace, name, uid, id, bound }: TokenClaims): User {
  const extra: [string, string[]][] = [["credential-id", [`JTI=${id}`]]];
  for (const each of bound) {
    if (each.kind === "secret") continue;
    extra.push([`${each.kind}-name`, [each.name]]);
    if (each.uid !== "") extra.push([`${each.kind}-uid`, [each.uid]]);
  }
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: [...serviceAccountGroups(namespace), "system:authenticated"],
    extra: Object.fromEntries(extra.sort().map(([key, values]) => [`authentication.kubernetes.io/${key}`, values])),
  };
}

export function serviceAccountGroups(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

/** The way Go prints a list of strings. */
function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}
