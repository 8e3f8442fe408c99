import type { ApiContext } from "../api-context.ts";
import { forbidden, notFound } from "../api-error.ts";
import type { User } from "../http/exchange.ts";
import type { Resource } from "../kinds/resource.ts";
import { type KubeObject, listIn, sameJson, textIn } from "../kube-object.ts";
import { aggregated, isMaster, RBAC_GROUP } from "./authorizer.ts";
import { type PolicyRule, rulesOf } from "./policy-rule.ts";
import { describedRule, missingRights, quotedList } from "./rule-coverage.ts";

/** A role or binding that somebody is about to write. */
export interface RoleWrite {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly user: User;
  readonly object: KubeObject;
  readonly old?: KubeObject;
}

/** Nobody gives away rights that they do not have, unless a role allows them to "escalate" or "bind". */
export async function confirmNoEscalation(api: ApiContext, write: RoleWrite): Promise<void> {
  const { resource, user, object, old } = write;
  if (resource.group !== RBAC_GROUP || isMaster(user)) return;
  if (old && changesOnlyMarks(object, old)) return;
  if (resource.plural === "roles" || resource.plural === "clusterroles") await confirmRole(api, write);
  else await confirmBinding(api, write);
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"], resourceNames: [], nonResourceURLs: [] },
  { verbs: ["*"], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ["*"] },
];

async function confirmRole(api: ApiContext, write: RoleWrite): Promise<void> {
  const { resource, namespace = "", user, object, old } = write;
  const name = object.metadata.name ?? "";
  const role = { group: RBAC_GROUP, resource: resource.plural, subresource: "", namespace, name };
  if ((await api.authorizer.decide(user, { kind: "resource", verb: "escalate", ...role })).isAllowed) return;
  await confirmHeld(api, write, rulesOf(object));
  if (!object.aggregationRule && !old?.aggregationRule) return;
  // Nobody knows which rights will be gathered.
  const { rules } = await api.authorizer.rightsOf(user, namespace);
  if (missingRights(rules, EVERYTHING).length > 0)
    throw forbidden(resource, name, "must have cluster-admin privileges to use the aggregationRule");
}

async function confirmBinding(api: ApiContext, write: RoleWrite): Promise<void> {
  const { resource, namespace = "", user, object } = write;
  const [kind, name] = [textIn(object, "roleRef", "kind"), textIn(object, "roleRef", "name")];
  const plural = kind === "Role" ? "roles" : "clusterroles";
  const role = { group: RBAC_GROUP, resource: plural, subresource: "", namespace, name };
  if ((await api.authorizer.decide(user, { kind: "resource", verb: "bind", ...role })).isAllowed) return;
  const rules = await api.authorizer.rulesOf(kind === "Role" ? namespace : undefined, name);
  if (!rules) throw notFound(resource, name);
  await confirmHeld(api, write, rules);
}

async function confirmHeld(api: ApiContext, write: RoleWrite, wanted: readonly PolicyRule[]): Promise<void> {
  const { resource, namespace = "", user, object } = write;
  const held = await api.authorizer.rightsOf(user, namespace);
  const missing = missingRights(held.rules, wanted);
  if (missing.length === 0) return;
  const who = `user ${JSON.stringify(user.username)} (groups=${quotedList(user.groups)})`;
  const what = missing.map((rule) => `\n${describedRule(rule)}`).join("");
  const errors = held.missing.map(({ name }) => notFound({ group: RBAC_GROUP, plural: resource.plural }, name).message);
  const why = errors.length === 0 ? "" : `; resolution errors: [${aggregated(errors)}]`;
  const message = `${who} is attempting to grant RBAC permissions not currently held:${what}${why}`;
  throw forbidden(resource, object.metadata.name ?? "", message);
}

// Owners and finalizers are for the garbage collector, who needs no right to a role's rules to let it go.
function changesOnlyMarks(object: KubeObject, old: KubeObject): boolean {
  const isMark = !sameJson(marksOf(object), marksOf(old));
  return isMark && sameJson(withoutMarks(object), withoutMarks(old));
}

function marksOf({ metadata }: KubeObject): unknown {
  return [listIn(metadata, "ownerReferences"), metadata.finalizers ?? []];
}

function withoutMarks({ metadata, ...rest }: KubeObject): unknown {
  const { ownerReferences: _, finalizers: __, managedFields: ___, resourceVersion: ____, ...others } = metadata;
  return { ...rest, metadata: others };
}
