import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

const API = "/apis/authorization.k8s.io/v1";
const RBAC = "rbac.authorization.k8s.io";

interface Reviewed extends KubeObject {
  readonly status: { readonly allowed: boolean; readonly reason?: string };
}

export function accessReviewCases(target: () => ConformanceTarget): void {
  describe("asking what is allowed", () => {
    const at = scopeOf(target);
    const listPods = () => ({ resourceAttributes: { verb: "list", resource: "pods", namespace: at().namespace } });
    const askAbout = async (spec: object) =>
      expectCode(201, await at().rest<Reviewed>("POST", `${API}/subjectaccessreviews`, { spec })).status;

    test("names the binding that allows it, and nothing where nothing does", async () => {
      const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }];
      await at().create(`${RBAC}/v1/roles`, { metadata: { name: "lister" }, rules });
      await at().create(`${RBAC}/v1/rolebindings`, {
        metadata: { name: "jane-lists" },
        roleRef: { apiGroup: RBAC, kind: "Role", name: "lister" },
        subjects: [{ kind: "User", apiGroup: RBAC, name: "jane" }],
      });
      const reason = `RBAC: allowed by RoleBinding "jane-lists/${at().namespace}" of Role "lister" to User "jane"`;
      const ask = () => askAbout({ user: "jane", ...listPods() });
      await expect.poll(ask, { timeout: 10_000, interval: 20 }).toEqual({ allowed: true, reason });
      expect(await askAbout({ user: "joe", ...listPods() })).toEqual({ allowed: false });
    });

    test("knows the groups that are given, also that of those who may do everything", async () => {
      expect(await askAbout({ user: "joe", groups: ["system:masters"], ...listPods() })).toEqual({ allowed: true });
      const path = { nonResourceAttributes: { path: "/api/v1", verb: "get" } };
      expect(await askAbout({ user: "joe", groups: ["system:authenticated"], ...path })).toEqual({
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group "system:authenticated"',
      });
      expect(await askAbout({ user: "joe", ...path })).toEqual({ allowed: false });
    });

    test.each<[string, object, string]>([
      [
        "nothing",
        { user: "a" },
        "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified",
      ],
      [
        "both",
        { user: "a", resourceAttributes: { verb: "get" }, nonResourceAttributes: { path: "/a", verb: "get" } },
        'spec.nonResourceAttributes: Invalid value: {"Path":"/a","Verb":"get"}: cannot be specified in combination with resourceAttributes',
      ],
      [
        "unknown",
        { resourceAttributes: { verb: "get", resource: "pods" } },
        'spec.user: Invalid value: "": at least one of user or group must be specified',
      ],
    ])("about %s is refused", async (_, spec, message) => {
      const { code, body } = await at().rest("POST", `${API}/subjectaccessreviews`, { spec });
      expect(code).toBe(422);
      expect(body.message).toBe(`.authorization.k8s.io "" is invalid: ${message}`);
    });

    test("in a namespace is about that namespace only", async () => {
      const path = at().path("authorization.k8s.io/v1/localsubjectaccessreviews");
      const spec = { user: "joe", ...listPods() };
      expect(expectCode(201, await at().rest("POST", path, { spec }))).toMatchObject({
        metadata: { namespace: at().namespace },
        status: { allowed: false },
      });
      const other = { user: "joe", resourceAttributes: { ...listPods().resourceAttributes, namespace: "other" } };
      const { code, body } = await at().rest("POST", path, { spec: other });
      expect(code).toBe(422);
      const why = 'spec.resourceAttributes.namespace: Invalid value: "other": must match metadata.namespace';
      expect(body.message).toBe(`.authorization.k8s.io "" is invalid: ${why}`);
    });

    test.each<[string, string, number]>([
      ["GET", `${API}/selfsubjectaccessreviews`, 405],
      ["GET", `${API}/selfsubjectaccessreviews/x`, 404],
      ["POST", `${API}/localsubjectaccessreviews`, 404],
      ["POST", `${API}/namespaces/default/subjectaccessreviews`, 404],
    ])("is a POST, and in the right place: %s %s", async (method, path, code) => {
      expect((await at().rest(method as "GET", path, method === "POST" ? {} : undefined)).code).toBe(code);
    });

    test("is what kubectl auth can-i does", async () => {
      const canI = async (...question: readonly string[]) => {
        const { code, stdout } = await at().kubectl(["auth", "can-i", ...question]);
        return `${stdout.trim()} ${code}`;
      };
      expect(await canI("delete", "nodes")).toBe("yes 0");
      expect(await canI("list", "secrets", "--as", "joe")).toBe("no 1");
      expect(await canI("get", "/healthz", "--as", "joe")).toBe("yes 0");
    });
  });
}
