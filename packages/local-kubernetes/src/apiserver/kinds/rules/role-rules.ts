import { type Cause, invalid, notSupported, required } from "../../crd/cause.ts";
import { type JsonObject, type KubeObject, listIn, objectIn, sameJson, textIn } from "../../kube-object.ts";
import { nameErrors } from "../../meta/names.ts";
import type { KindRules } from "../resource.ts";
import { fill, inside } from "./fill.ts";

const RBAC = "rbac.authorization.k8s.io";

export const roleRules: KindRules = {
  applyDefaults(role) {
    if (listIn(role, "rules").length === 0) role.rules = null;
  },
  validate: (role) => [
    ...listIn(role, "rules").flatMap((rule, index) => ruleCauses(rule, `rules[${index}]`, role.kind === "Role")),
    ...(role.aggregationRule && listIn(role, "aggregationRule", "clusterRoleSelectors").length === 0
      ? [required("aggregationRule.clusterRoleSelectors", NO_SELECTOR)]
      : []),
  ],
};

const NO_SELECTOR = "at least one clusterRoleSelector required if aggregationRule is non-nil";

function ruleCauses(rule: JsonObject, path: string, isNamespaced: boolean): Cause[] {
  const has = (field: string) => Array.isArray(rule[field]) && rule[field].length > 0;
  const urls = `${path}.nonResourceURLs`;
  const noVerbs = has("verbs") ? [] : [required(`${path}.verbs`, "verbs must contain at least one value")];
  if (has("nonResourceURLs")) {
    const isMixed = has("apiGroups") || has("resources") || has("resourceNames");
    const mixed = "rules cannot apply to both regular resources and non-resource URLs";
    return [
      ...noVerbs,
      ...(isNamespaced
        ? [invalid(urls, rule.nonResourceURLs, "namespaced rules cannot apply to non-resource URLs")]
        : []),
      ...(isMixed ? [invalid(urls, rule.nonResourceURLs, mixed)] : []),
    ];
  }
  return [
    ...noVerbs,
    ...(has("apiGroups") ? [] : [required(`${path}.apiGroups`, "resource rules must supply at least one api group")]),
    ...(has("resources") ? [] : [required(`${path}.resources`, "resource rules must supply at least one resource")]),
  ];
}

export const bindingRules: KindRules = {
  applyDefaults(binding) {
    fill(inside(binding, "roleRef"), { apiGroup: RBAC });
    for (const subject of listIn(binding, "subjects")) {
      if (subject.kind === "User" || subject.kind === "Group") fill(subject, { apiGroup: RBAC });
    }
  },
  validate: (binding, old) => [
    ...roleRefCauses(binding),
    ...listIn(binding, "subjects").flatMap((subject, index) => subjectCauses(subject, `subjects[${index}]`, binding)),
    ...(old && !sameJson(binding.roleRef, old.roleRef)
      ? [invalid("roleRef", shownRef(binding), "cannot change roleRef")]
      : []),
  ],
};

function roleRefCauses(binding: KubeObject): Cause[] {
  const { apiGroup = "", kind = "", name = "" } = objectIn(binding, "roleRef");
  const kinds = binding.kind === "RoleBinding" ? ["Role", "ClusterRole"] : ["ClusterRole"];
  return [
    ...(apiGroup === RBAC ? [] : [notSupported("roleRef.apiGroup", apiGroup, [RBAC])]),
    ...(kinds.includes(String(kind)) ? [] : [notSupported("roleRef.kind", kind, kinds)]),
    ...(name === ""
      ? [required("roleRef.name")]
      : nameErrors("path-segment", String(name)).map((error) => invalid("roleRef.name", name, error))),
  ];
}

function subjectCauses(subject: JsonObject, path: string, binding: KubeObject): Cause[] {
  const { kind = "", apiGroup = "", name = "" } = subject;
  const noName = name === "" ? [required(`${path}.name`)] : [];
  const group = (wanted: string) => (apiGroup === wanted ? [] : [notSupported(`${path}.apiGroup`, apiGroup, [wanted])]);
  switch (kind) {
    case "ServiceAccount": {
      const badName = name === "" ? [] : nameErrors("subdomain", String(name));
      const isHomeless = binding.kind !== "RoleBinding" && textIn(subject, "namespace") === "";
      return [
        ...noName,
        ...badName.map((error) => invalid(`${path}.name`, name, error)),
        ...group(""),
        ...(isHomeless ? [required(`${path}.namespace`)] : []),
      ];
    }
    case "User":
    case "Group":
      return [...noName, ...group(RBAC)];
    default:
      return [...noName, notSupported(`${path}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}

// Field names as the real server prints them.
function shownRef(binding: KubeObject): JsonObject {
  const { apiGroup, kind, name } = objectIn(binding, "roleRef");
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}
