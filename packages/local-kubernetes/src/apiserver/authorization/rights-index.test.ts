import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { KubeObject } from "../kube-object.ts";
import { RightsIndex } from "./rights-index.ts";

const anObject = (kind: string, name: string, fields: object, namespace?: string): KubeObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind,
  metadata: { name, ...(namespace && { namespace }) },
  ...fields,
});

const rule = (resource: string) => ({ rules: [{ apiGroups: [""], resources: [resource], verbs: ["get"] }] });
const toRole = (kind: string, name: string, ...subjects: readonly object[]) => ({ roleRef: { kind, name }, subjects });
const account = { kind: "ServiceAccount", name: "robot" };

const index = new RightsIndex({
  clusterRoles: [anObject("ClusterRole", "nodes", rule("nodes"))],
  roles: [anObject("Role", "pods", rule("pods"), "ns"), anObject("Role", "pods", rule("all-pods"), "other")],
  clusterRoleBindings: [
    anObject("ClusterRoleBinding", "everywhere", toRole("ClusterRole", "nodes", { kind: "Group", name: "admins" })),
    anObject("ClusterRoleBinding", "homeless", toRole("ClusterRole", "nodes", account)),
  ],
  roleBindings: [
    anObject("RoleBinding", "here", toRole("Role", "pods", account, { kind: "User", name: "jane" }), "ns"),
    anObject("RoleBinding", "dangling", toRole("Role", "none", { kind: "User", name: "joe" }), "ns"),
  ],
});

const sources = (username: string, groups: readonly string[], namespace: string) =>
  [...index.grantsOf({ username, groups }, namespace)].map(({ source }) => source);

describe("rights", () => {
  test("of a group are everybody's who is in it, in every namespace and outside", () => {
    const expected = ['ClusterRoleBinding "everywhere" of ClusterRole "nodes" to Group "admins"'];
    assert.deepEqual(sources("x", ["admins"], ""), expected);
    assert.deepEqual(sources("x", ["admins"], "ns"), expected);
    assert.deepEqual(sources("admins", [], ""), []);
  });

  test("bound in a namespace count there; an account without a namespace is of the binding's", () => {
    const expected = ['RoleBinding "here/ns" of Role "pods" to ServiceAccount "robot/ns"'];
    assert.deepEqual(sources("system:serviceaccount:ns:robot", [], "ns"), expected);
    assert.deepEqual(sources("system:serviceaccount:ns:robot", [], "other"), []);
    assert.deepEqual(sources("system:serviceaccount:ns:robot", [], ""), []);
  });

  test("come from the role of the binding's own namespace", () => {
    const [grant] = index.grantsOf({ username: "jane", groups: [] }, "ns");
    assert.deepEqual(grant?.rules[0]?.resources, ["pods"]);
  });

  test("of a role that is not there are none, and it is known", () => {
    const [grant] = index.grantsOf({ username: "joe", groups: [] }, "ns");
    assert.deepEqual([grant?.rules, grant?.missing], [[], { kind: "role", name: "none" }]);
  });
});
