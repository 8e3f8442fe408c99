import { describe, expect, test } from "vitest";
import { expectCode, type Scope, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, Rest } from "../../target.ts";

const RBAC = "rbac.authorization.k8s.io";
const roles = `${RBAC}/v1/roles`;
const bindings = `${RBAC}/v1/rolebindings`;
const clusterRoles = `/apis/${RBAC}/v1/clusterroles`;
const clusterBindings = `/apis/${RBAC}/v1/clusterrolebindings`;

export function authorizationCases(target: () => ConformanceTarget): void {
  describe("authorization by roles", () => {
    const at = scopeOf(target);

    /** A ServiceAccount of its own, and what it may do. */
    const anAccount = async (name: string, rule?: Rule) => {
      const { create, namespace, rest } = at();
      await create("serviceaccounts", { metadata: { name } });
      if (rule) {
        await create(roles, { metadata: { name }, rules: [rule] });
        await create(bindings, binding(name, "Role", name, serviceAccount(namespace, name)));
      }
      const path = at().path("serviceaccounts", `${name}/token`);
      const { status } = expectCode(201, await rest<{ status: { token: string } }>("POST", path, {}));
      const asAccount = target().restWithToken(status.token);
      if (rule) await effective(asAccount, namespace, rule);
      return asAccount;
    };

    test.each<[string, string, (scope: Scope) => string, string]>([
      ["listing", "GET", ({ path }) => path("pods"), `list resource "pods" in API group "" in the namespace`],
      ["watching", "GET", ({ path }) => `${path("pods")}?watch=1`, `watch resource "pods" in API group ""`],
      ["reading", "GET", ({ path }) => path("pods", "x"), `get resource "pods" in API group ""`],
      ["reading a log", "GET", ({ path }) => path("pods", "x/log"), `get resource "pods/log" in API group ""`],
      ["creating", "POST", ({ path }) => path("pods"), `create resource "pods" in API group ""`],
      ["replacing", "PUT", ({ path }) => path("pods", "x"), `update resource "pods" in API group ""`],
      ["patching", "PATCH", ({ path }) => path("pods", "x"), `patch resource "pods" in API group ""`],
      ["deleting", "DELETE", ({ path }) => path("pods", "x"), `delete resource "pods" in API group ""`],
      ["deleting all", "DELETE", ({ path }) => path("pods"), `deletecollection resource "pods" in API group ""`],
      ["listing everywhere", "GET", () => "/api/v1/pods", `list resource "pods" in API group "" at the cluster scope`],
      ["scaling", "GET", ({ path }) => path("apps/v1/deployments", "x/scale"), `get resource "deployments/scale"`],
      ["an unknown kind", "GET", ({ path }) => path("no.such/v1/things"), `list resource "things" in API group`],
      [
        "reading its namespace",
        "GET",
        ({ namespace }) => `/api/v1/namespaces/${namespace}`,
        `get resource "namespaces"`,
      ],
    ])("%s is refused with the words of Kubernetes", async (_, method, path, words) => {
      const asAccount = await anAccount(`refused-${random()}`);
      const body = method === "GET" || method === "DELETE" ? undefined : {};
      const answer = await asAccount(method as "GET", path(at()), body);
      expect(answer.code, answer.text).toBe(403);
      expect(answer.body).toMatchObject({ kind: "Status", status: "Failure", reason: "Forbidden", code: 403 });
      expect(answer.body.message).toContain(`cannot ${words}`);
    });

    test("the whole message names object, user, verb, resource, group and namespace", async () => {
      const asAccount = await anAccount("messages");
      const { body } = await asAccount("GET", at().path("apps/v1/deployments", "x"));
      const user = `system:serviceaccount:${at().namespace}:messages`;
      expect(body).toMatchObject({
        message: `deployments.apps "x" is forbidden: User "${user}" cannot get resource "deployments" in API group "apps" in the namespace "${at().namespace}"`,
        details: { name: "x", group: "apps", kind: "deployments" },
      });
    });

    test("paths without objects are refused by their path", async () => {
      const asAccount = await anAccount("paths");
      const { code, body } = await asAccount("GET", "/metrics?x=1");
      expect(code).toBe(403);
      const user = `system:serviceaccount:${at().namespace}:paths`;
      expect(body).toMatchObject({ message: `forbidden: User "${user}" cannot get path "/metrics"`, details: {} });
    });

    test("every account may discover the API and ask about itself", async () => {
      const asAccount = await anAccount("everybody");
      for (const path of ["/api", "/api/v1", "/apis", "/apis/apps/v1", "/openapi/v3", "/version", "/healthz"]) {
        expect((await asAccount("GET", path)).code, path).toBe(200);
      }
      expect((await asAccount("GET", "/apis/no.such.group")).code).toBe(404);
    });

    test("an anonymous client may ask for health and version, and for nothing else", async () => {
      const { restWithoutCredentials } = target();
      for (const path of ["/healthz", "/livez", "/readyz", "/version"]) {
        expect((await restWithoutCredentials("GET", path)).code, path).toBe(200);
      }
      const { code, body } = await restWithoutCredentials("GET", "/api");
      expect(code).toBe(403);
      expect(body.message).toBe('forbidden: User "system:anonymous" cannot get path "/api"');
      const listed = await restWithoutCredentials("GET", "/api/v1/namespaces");
      expect(listed.body.message).toBe(
        'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
      );
    });

    test("a role allows its verbs on its resources, and not its subresources", async () => {
      const asAccount = await anAccount("reader", { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] });
      expect((await asAccount("GET", at().path("pods"))).code).toBe(200);
      expect((await asAccount("GET", at().path("pods", "x"))).code).toBe(404);
      expect((await asAccount("GET", at().path("pods", "x/status"))).code).toBe(403);
      expect((await asAccount("DELETE", at().path("pods", "x"))).code).toBe(403);
      expect((await asAccount("GET", at().path("configmaps"))).code).toBe(403);
      expect((await asAccount("GET", "/api/v1/pods")).code).toBe(403);
    });

    test("a rule with names is for these objects, also when they are listed by name", async () => {
      await at().create("configmaps", { metadata: { name: "mine" } });
      const rule = { apiGroups: [""], resources: ["configmaps"], resourceNames: ["mine"], verbs: ["get", "list"] };
      const asAccount = await anAccount("named", rule);
      expect((await asAccount("GET", at().path("configmaps", "mine"))).code).toBe(200);
      expect((await asAccount("GET", at().path("configmaps", "other"))).code).toBe(403);
      expect((await asAccount("GET", at().path("configmaps"))).code).toBe(403);
      const byName = `${at().path("configmaps")}?fieldSelector=metadata.name%3Dmine`;
      expect((await asAccount("GET", byName)).code).toBe(200);
    });

    test("stars stand for all groups, resources, verbs, and for a subresource of all", async () => {
      const all = await anAccount("star", { apiGroups: ["*"], resources: ["*"], verbs: ["*"] });
      expect((await all("GET", at().path("secrets"))).code).toBe(200);
      expect((await all("GET", at().path("apps/v1/deployments", "x/scale"))).code).toBe(404);
      const scale = await anAccount("scaler", { apiGroups: ["*"], resources: ["*/scale"], verbs: ["get"] });
      expect((await scale("GET", at().path("apps/v1/deployments", "x/scale"))).code).toBe(404);
      expect((await scale("GET", at().path("apps/v1/deployments", "x"))).code).toBe(403);
    });

    test("a ClusterRole bound in a namespace counts there, one bound everywhere counts everywhere", async () => {
      const { namespace, rest } = at();
      const name = `everywhere-${random()}`;
      const elsewhere = await target().freshNamespace();
      const asAccount = await anAccount(name);
      const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
      expectCode(201, await rest("POST", clusterRoles, { metadata: { name }, rules }));
      await at().create(bindings, binding(name, "ClusterRole", name, serviceAccount(namespace, name)));
      const code = async (path: string) => (await asAccount("GET", path)).code;
      await eventually(() => code(at().path("configmaps")), 200);
      expect(await code(`/api/v1/namespaces/${elsewhere}/configmaps`)).toBe(403);
      const everywhere = binding(name, "ClusterRole", name, serviceAccount(namespace, name));
      expectCode(201, await rest("POST", clusterBindings, everywhere));
      await eventually(() => code(`/api/v1/namespaces/${elsewhere}/configmaps`), 200);
      expect(await code("/api/v1/configmaps")).toBe(200);
      await rest("DELETE", `${clusterBindings}/${name}`);
      await eventually(() => code("/api/v1/configmaps"), 403);
      await rest("DELETE", `${clusterRoles}/${name}`);
    });

    test("the group of a namespace's accounts has what is bound to it", async () => {
      const asAccount = await anAccount("grouped");
      const rules = [{ apiGroups: [""], resources: ["services"], verbs: ["list"] }];
      await at().create(roles, { metadata: { name: "of-group" }, rules });
      const group = { kind: "Group", apiGroup: RBAC, name: `system:serviceaccounts:${at().namespace}` };
      await at().create(bindings, binding("of-group", "Role", "of-group", group));
      await eventually(async () => (await asAccount("GET", at().path("services"))).code, 200);
    });

    test("a binding to a role that is not there grants nothing, and the refusal says so", async () => {
      const asAccount = await anAccount("dangling");
      const subject = serviceAccount(at().namespace, "dangling");
      await at().create(bindings, binding("dangling", "Role", "missing", subject));
      const why = `: RBAC: role.${RBAC} "missing" not found`;
      const ends = async () => String((await asAccount("GET", at().path("pods"))).body.message).endsWith(why);
      await eventually(ends, true);
    });

    test("view may be bound to an account, which then sees pods and no Secrets", async () => {
      const asAccount = await anAccount("viewer");
      const subject = serviceAccount(at().namespace, "viewer");
      await at().create(bindings, binding("viewer", "ClusterRole", "view", subject));
      if (!target().hasControllers) return;
      await eventually(async () => (await asAccount("GET", at().path("pods"))).code, 200);
      expect((await asAccount("GET", at().path("secrets"))).code).toBe(403);
      expect((await asAccount("DELETE", at().path("pods", "x"))).code).toBe(403);
    });

    test("a ClusterRole with the label of view becomes a part of view, edit and admin", async (context) => {
      context.skip(!target().hasControllers, "no controllers here");
      const { rest } = at();
      const name = `part-${random()}`;
      const labels = { [`${RBAC}/aggregate-to-view`]: "true" };
      const rules = [{ apiGroups: [`${name}.example.com`], resources: ["widgets"], verbs: ["get"] }];
      expectCode(201, await rest("POST", clusterRoles, { metadata: { name, labels }, rules }));
      const has = async (role: string) =>
        (await rest("GET", `${clusterRoles}/${role}`)).text.includes(`${name}.example`);
      for (const role of ["view", "edit", "admin"]) await eventually(() => has(role), true);
      await rest("DELETE", `${clusterRoles}/${name}`);
      await eventually(() => has("admin"), false);
    });
  });
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Role bindings of a real server count after a moment. */
async function effective(asAccount: Rest, namespace: string, rule: Rule): Promise<void> {
  const { apiGroups, resources, resourceNames = [], verbs } = rule;
  const [resource, subresource] = resources[0]?.split("/") ?? [];
  const asked = { namespace, verb: verbs[0], group: apiGroups[0], resource, subresource, name: resourceNames[0] };
  const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  const isAllowed = async () => {
    const review = { spec: { resourceAttributes: asked } };
    const { body } = await asAccount<{ status?: { allowed: boolean } }>("POST", path, review);
    return body.status?.allowed;
  };
  await eventually(isAllowed, true);
}

async function eventually<Value>(ask: () => Promise<Value>, wanted: Value): Promise<void> {
  await expect.poll(ask, { timeout: 10_000, interval: 20 }).toBe(wanted);
}

function serviceAccount(namespace: string, name: string): object {
  return { kind: "ServiceAccount", namespace, name };
}

function binding(name: string, kind: string, role: string, ...subjects: readonly object[]) {
  return { metadata: { name }, roleRef: { apiGroup: RBAC, kind, name: role }, subjects };
}

function random(): string {
  return Math.random().toString(36).slice(2, 8);
}
