import assert from "node:assert/strict";
import type { ClusterRole, PolicyRule, Role } from "kubernetes-types/rbac/v1.d.ts";
import { describe, test } from "vitest";
import { manifestFiles, objectOfKind, objectsIn } from "./manifest-files.ts";

const template = objectOfKind<ClusterRole>("example/rbac/cluster-role-template.yaml", "ClusterRole");

test("the ClusterRoles of example/rbac and deploy/rbac grant the same", () => {
  const deployed = objectOfKind<ClusterRole>("deploy/rbac/cluster-role.yaml", "ClusterRole");
  assert.deepEqual(deployed.rules, template.rules);
});

test("the Role and the ClusterRole for CRDs grant together what the ClusterRole for all namespaces does", () => {
  const { rules: inNamespace = [] } = objectOfKind<Role>("example/rbac/role-template.yaml", "Role");
  const { rules: ofCrds = [] } = objectOfKind<ClusterRole>("example/rbac/crd-role-template.yaml", "ClusterRole");
  const sorted = (rules: readonly PolicyRule[]) => rules.map((rule) => JSON.stringify(rule)).sort();
  assert.deepEqual(sorted([...inNamespace, ...ofCrds]), sorted(template.rules ?? []));
  assert.ok(inNamespace.every(({ apiGroups }) => !apiGroups?.includes("apiextensions.k8s.io")));
});

test("the aggregated roles of example/rbac and deploy/rbac are the same", () => {
  assert.deepEqual(objectsIn("deploy/rbac/aggregated-roles.yaml"), objectsIn("example/rbac/aggregated-roles.yaml"));
});

test("the ClusterRoles have different names, so that applying one leaves the operator of the other its rights", () => {
  const deployed = objectOfKind<ClusterRole>("deploy/rbac/cluster-role.yaml", "ClusterRole");
  assert.notEqual(deployed.metadata?.name, "etcd-operator");
});

const roles = [...manifestFiles("example"), ...manifestFiles("deploy")].flatMap((file) =>
  objectsIn(file).flatMap((object) =>
    object.kind === "Role" || object.kind === "ClusterRole" ? [{ file, rules: (object as Role).rules ?? [] }] : [],
  ),
);

describe.each(roles)("the role of $file", ({ rules }) => {
  test("names everything that it grants", () => {
    assert.notEqual(rules.length, 0);
    for (const rule of rules) {
      for (const value of valuesOf(rule)) assert.ok(!value.includes("*"), `"${value}" grants more than its name says`);
      assert.equal(rule.nonResourceURLs, undefined);
    }
  });

  test("reads Secrets by name only, and changes none that is there", () => {
    const verbs = rules.filter(({ resources }) => resources?.some((name) => name.startsWith("secrets")));
    assert.deepEqual([...new Set(verbs.flatMap((rule) => rule.verbs))], verbs.length === 0 ? [] : ["get", "create"]);
  });

  test("holds no right that leads to others", () => {
    const granted = rules.flatMap(({ resources = [], verbs }) => [...resources, ...verbs]);
    const leading = ["roles", "clusterroles", "rolebindings", "clusterrolebindings", "serviceaccounts/token"];
    for (const name of [...leading, "pods/exec", "pods/attach", "nodes/proxy", "bind", "escalate", "impersonate"]) {
      assert.ok(!granted.includes(name), `grants ${name}`);
    }
  });
});

function valuesOf({ apiGroups = [], resources = [], verbs, resourceNames = [] }: PolicyRule): readonly string[] {
  return [...apiGroups, ...resources, ...verbs, ...resourceNames];
}
