import { type KubeObject, listIn, objectIn, textIn } from "../kube-object.ts";
import { type PolicyRule, rulesOf } from "./policy-rule.ts";

/** What a binding gives to one subject. */
export interface Grant {
  readonly rules: readonly PolicyRule[];
  /** Such as: ClusterRoleBinding "b" of ClusterRole "r" to Group "g". */
  readonly source: string;
  /** The role, where there is none of that name. */
  readonly missing?: { readonly kind: "role" | "clusterrole"; readonly name: string };
}

export interface Subject {
  readonly username: string;
  readonly groups: readonly string[];
}

export interface RoleObjects {
  readonly roles: readonly KubeObject[];
  readonly clusterRoles: readonly KubeObject[];
  readonly roleBindings: readonly KubeObject[];
  readonly clusterRoleBindings: readonly KubeObject[];
}

type GrantsOfSubjects = Map<string, Grant[]>;

const EVERYWHERE = "";

/**
 * All rights, by namespace and by subject: made again when a role or a binding changes, and only read
 * otherwise.
 */
export class RightsIndex {
  readonly #grants = new Map<string, GrantsOfSubjects>();
  readonly #rules = new Map<string, readonly PolicyRule[]>();

  constructor(objects: RoleObjects) {
    for (const role of [...objects.clusterRoles, ...objects.roles]) {
      this.#rules.set(roleKey(role.metadata.namespace, role.metadata.name), rulesOf(role));
    }
    for (const binding of [...objects.clusterRoleBindings, ...objects.roleBindings]) this.#add(binding);
  }

  /** What a user may do everywhere, and then in the namespace. */
  *grantsOf({ username, groups }: Subject, namespace: string): Generator<Grant, void> {
    for (const place of namespace === EVERYWHERE ? [EVERYWHERE] : [EVERYWHERE, namespace]) {
      const grants = this.#grants.get(place);
      if (!grants) continue;
      yield* grants.get(userKey(username)) ?? [];
      for (const group of groups) yield* grants.get(groupKey(group)) ?? [];
    }
  }

  #add(binding: KubeObject): void {
    const { namespace = EVERYWHERE, name } = binding.metadata;
    const role = objectIn(binding, "roleRef");
    const [kind, roleName] = [textIn(role, "kind"), textIn(role, "name")];
    const rules = this.#rules.get(roleKey(kind === "Role" ? namespace : undefined, roleName));
    const missing = { kind: kind === "Role" ? "role" : "clusterrole", name: roleName } as const;
    const label = namespace === EVERYWHERE ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
    for (const subject of listIn(binding, "subjects")) {
      const key = subjectKey(subject, namespace);
      if (key === undefined) continue;
      const source = `${label} of ${kind} "${roleName}" to ${describedSubject(subject, namespace)}`;
      const grants = this.#grants.get(namespace) ?? new Map<string, Grant[]>();
      this.#grants.set(namespace, grants);
      grants.set(key, [...(grants.get(key) ?? []), { rules: rules ?? [], source, ...(!rules && { missing }) }]);
    }
  }
}

function subjectKey(subject: object, namespace: string): string | undefined {
  const name = textIn(subject, "name");
  switch (textIn(subject, "kind")) {
    case "User":
      return userKey(name);
    case "Group":
      return groupKey(name);
    case "ServiceAccount": {
      const home = textIn(subject, "namespace") || namespace;
      return home === "" ? undefined : userKey(`system:serviceaccount:${home}:${name}`);
    }
    default:
      return undefined;
  }
}

function describedSubject(subject: object, namespace: string): string {
  const [kind, name] = [textIn(subject, "kind"), textIn(subject, "name")];
  if (kind !== "ServiceAccount") return `${kind} "${name}"`;
  return `${kind} "${name}/${textIn(subject, "namespace") || namespace}"`;
}

function roleKey(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? ""}/${name ?? ""}`;
}

function userKey(name: string): string {
  return `u ${name}`;
}

function groupKey(name: string): string {
  return `g ${name}`;
}
