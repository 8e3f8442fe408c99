import { describe, expect, test } from "vitest";
import { scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const RBAC = "rbac.authorization.k8s.io";
const roles = `${RBAC}/v1/roles`;
const bindings = `${RBAC}/v1/rolebindings`;
const clusterRoles = `/apis/${RBAC}/v1/clusterroles`;
const clusterBindings = `/apis/${RBAC}/v1/clusterrolebindings`;

export function roleWriteCases(target: () => ConformanceTarget): void {
  describe("writing roles and bindings", () => {
    const at = scopeOf(target);

    test.each<[string, object, string]>([
      ["without verbs", { apiGroups: [""], resources: ["a"], verbs: [] }, NO_VERBS],
      ["without resources", { apiGroups: [""], verbs: ["get"] }, NO_RESOURCES],
      ["without groups", { resources: ["a"], verbs: ["get"] }, NO_GROUPS],
      ["for a path", { nonResourceURLs: ["/a"], verbs: ["get"] }, NAMESPACED_PATH],
    ])("a rule %s is refused", async (_, rule, message) => {
      const { code, body } = await at().rest("POST", at().path(roles), { metadata: { name: "bad" }, rules: [rule] });
      expect(code).toBe(422);
      expect(body.message).toBe(`Role.${RBAC} "bad" is invalid: ${message}`);
    });

    test("a ClusterRole does not mix paths and resources, nor gathers nothing", async () => {
      const mixed = { nonResourceURLs: ["/a"], resources: ["pods"], apiGroups: [""], verbs: ["get"] };
      const role = { metadata: { name: "mixed" }, rules: [mixed], aggregationRule: {} };
      const { code, body } = await at().rest("POST", clusterRoles, role);
      expect(code).toBe(422);
      const causes = [
        'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
        "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
      ];
      expect(body.message).toBe(`ClusterRole.${RBAC} "mixed" is invalid: [${causes.join(", ")}]`);
    });

    test("every defect of a binding is told", async () => {
      const subjects = [
        { kind: "Bot", name: "a" },
        { kind: "User" },
        { kind: "ServiceAccount", apiGroup: RBAC, name: "a", namespace: "b" },
        { kind: "Group", apiGroup: "x", name: "g" },
      ];
      const binding = { metadata: { name: "bad" }, roleRef: { kind: "Role", name: "a/b", apiGroup: "x" }, subjects };
      const { code, body } = await at().rest("POST", at().path(bindings), binding);
      expect(code).toBe(422);
      const causes = [
        `roleRef.apiGroup: Unsupported value: "x": supported values: "${RBAC}"`,
        `roleRef.name: Invalid value: "a/b": may not contain '/'`,
        'subjects[0].kind: Unsupported value: "Bot": supported values: "ServiceAccount", "User", "Group"',
        "subjects[1].name: Required value",
        `subjects[2].apiGroup: Unsupported value: "${RBAC}": supported values: ""`,
        `subjects[3].apiGroup: Unsupported value: "x": supported values: "${RBAC}"`,
      ];
      expect(body.message).toBe(`RoleBinding.${RBAC} "bad" is invalid: [${causes.join(", ")}]`);
    });

    test("a ClusterRoleBinding is of a ClusterRole, to accounts with a namespace", async () => {
      const subjects = [{ kind: "ServiceAccount", name: "a" }];
      const binding = { metadata: { name: "bad" }, roleRef: { apiGroup: RBAC, kind: "Role", name: "r" }, subjects };
      const { body } = await at().rest("POST", clusterBindings, binding);
      const causes = [
        'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
        "subjects[0].namespace: Required value",
      ];
      expect(body.message).toBe(`ClusterRoleBinding.${RBAC} "bad" is invalid: [${causes.join(", ")}]`);
    });

    test("a PUT makes what is not there, also Leases, for those who may create", async () => {
      const { code, body } = await at().rest("PUT", at().path(roles, "fresh"), {
        metadata: { name: "fresh" },
        rules: [],
      });
      expect([code, body.rules]).toEqual([201, null]);
      const leases = "coordination.k8s.io/v1/leases";
      const lease = { metadata: { name: "fresh", resourceVersion: "5" }, spec: { holderIdentity: "one" } };
      expect((await at().rest("PUT", at().path(leases, "fresh"), lease)).code).toBe(201);
      expect((await at().rest("PUT", at().path("configmaps", "fresh"), { metadata: { name: "fresh" } })).code).toBe(
        404,
      );
      const other = { metadata: { name: "other", uid: "of-another" } };
      expect((await at().rest("PUT", at().path(leases, "other"), other)).code).toBe(409);
    });

    test("a binding stays with its role", async () => {
      await at().create(bindings, {
        metadata: { name: "fixed" },
        roleRef: { apiGroup: RBAC, kind: "Role", name: "a" },
      });
      const { code, body } = await at().rest("PATCH", at().path(bindings, "fixed"), { roleRef: { name: "b" } });
      expect(code).toBe(422);
      const value = JSON.stringify({ APIGroup: RBAC, Kind: "Role", Name: "b" });
      const why = `roleRef: Invalid value: ${value}: cannot change roleRef`;
      expect(body.message).toBe(`RoleBinding.${RBAC} "fixed" is invalid: ${why}`);
    });
  });
}

const NO_VERBS = "rules[0].verbs: Required value: verbs must contain at least one value";
const NO_RESOURCES = "rules[0].resources: Required value: resource rules must supply at least one resource";
const NO_GROUPS = "rules[0].apiGroups: Required value: resource rules must supply at least one api group";
const NAMESPACED_PATH =
  'rules[0].nonResourceURLs: Invalid value: ["/a"]: namespaced rules cannot apply to non-resource URLs';
