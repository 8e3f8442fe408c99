import type { PolicyRule } from "kubernetes-types/rbac/v1.d.ts";
import type { AuditedRequest } from "./audit-log.ts";

/** The rights that rules grant, one by one, such as "update etcd.database.coreos.com/etcdclusters/status". */
export function rightsGranted(rules: readonly PolicyRule[]): readonly string[] {
  const all = rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => right(verb, group ? `${group}/${resource}` : resource))),
    ),
  );
  return unique(all);
}

/** The rights that requests made use of. */
export function rightsUsed(requests: readonly AuditedRequest[]): readonly string[] {
  // Whatever else is asked for is no resource, and open to every authenticated user: /version, /api and the like.
  return unique(requests.filter(({ resource }) => resource !== "").map(({ verb, resource }) => right(verb, resource)));
}

function right(verb: string, resource: string): string {
  return `${verb} ${resource}`;
}

function unique(rights: readonly string[]): readonly string[] {
  return [...new Set(rights)].sort();
}
