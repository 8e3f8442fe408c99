import { describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const RBAC = "rbac.authorization.k8s.io";
const NOT_ALLOWED = { code: 405, reason: "MethodNotAllowed" };
const NOT_THERE = { code: 404, reason: "NotFound", message: "the server could not find the requested resource" };

/** The path of a watch is judged as a watch, whatever the method: nothing else may be behind it. */
export function watchPathCases(target: () => ConformanceTarget): void {
  describe("the old path /watch/", () => {
    const at = scopeOf(target);
    const kind = customKind(target, { version: { subresources: { status: {} } } });
    const watchPath = (resource: string, name?: string) =>
      at().path(resource, name).replace("/v1/namespaces/", "/v1/watch/namespaces/");

    test.each(["POST", "PUT", "PATCH", "DELETE"] as const)("writes nothing on %s", async (method) => {
      const name = `stays-${method.toLowerCase()}`;
      await at().create("configmaps", { metadata: { name }, data: { a: "b" } });
      const body = { metadata: { name: `${name}-new` }, data: { a: "c" } };
      for (const path of [watchPath("configmaps"), watchPath("configmaps", name), "/api/v1/watch/configmaps"]) {
        expect((await at().rest(method, path, body)).body, path).toMatchObject(NOT_ALLOWED);
      }
      expect((await at().get("configmaps", name)).data).toEqual({ a: "b" });
      expect((await at().rest("GET", at().path("configmaps", `${name}-new`))).code).toBe(404);
    });

    test.each(["GET", "POST", "PUT", "PATCH", "DELETE"] as const)("has no subresources on %s", async (method) => {
      const paths = ["pods/status", "pods/log", "pods/exec", "serviceaccounts/token", "apps/v1/deployments/scale"];
      for (const each of paths) {
        const [, resource = "", subresource = ""] = /^(.*)\/(\w+)$/.exec(each) ?? [];
        const { body } = await at().rest(method, `${watchPath(resource, "default")}/${subresource}`, {});
        expect(body, each).toMatchObject(NOT_THERE);
      }
    });

    test.each(["exec", "attach", "portforward"])(
      "has no %s, also for those who want to switch protocols",
      async (each) => {
        const headers = { connection: "Upgrade", upgrade: "SPDY/3.1" };
        const { body } = await at().rest("POST", `${watchPath("pods", "a")}/${each}`, undefined, { headers });
        expect(body).toMatchObject(NOT_THERE);
      },
    );

    test.each(["GET", "POST"] as const)("has no reviews on %s", async (method) => {
      const spec = { user: "a", resourceAttributes: { verb: "get", resource: "pods" } };
      const path = "/apis/authorization.k8s.io/v1/watch/subjectaccessreviews";
      expect((await at().rest(method, path, { spec })).body).toMatchObject(NOT_THERE);
    });

    test("of a custom resource is a watch with any method, and never of a subresource", async () => {
      const { metadata } = await at().create(kind.resource, kind.widget("stays"));
      const query = `?timeoutSeconds=1&resourceVersion=${metadata?.resourceVersion}`;
      const methods = ["POST", "PUT", "PATCH", "DELETE"] as const;
      await Promise.all(
        methods.map(async (method) => {
          for (const path of [watchPath(kind.resource), watchPath(kind.resource, "stays")]) {
            const { code, text } = await at().rest(method, `${path}${query}`, kind.widget("new"));
            expect([code, text], `${method} ${path}`).toEqual([200, ""]);
          }
          const { body } = await at().rest(method, `${watchPath(kind.resource, "stays")}/status`, kind.widget("stays"));
          expect(body).toMatchObject({ ...NOT_ALLOWED, message: expect.stringContaining("watch is not supported on") });
        }),
      );
      const { items } = expectCode(200, await at().rest<{ items: object[] }>("GET", at().path(kind.resource)));
      expect(items).toHaveLength(1);
    });
  });

  describe("a client that may only list", () => {
    const at = scopeOf(target);

    test("does not watch, however the query says it", async () => {
      const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }];
      await at().create(`${RBAC}/v1/roles`, { metadata: { name: "lister" }, rules });
      await at().create(`${RBAC}/v1/rolebindings`, {
        metadata: { name: "lists" },
        roleRef: { apiGroup: RBAC, kind: "Role", name: "lister" },
        subjects: [{ kind: "User", apiGroup: RBAC, name: "lister" }],
      });
      const codeOf = async (query: string) => {
        const path = `${at().path("configmaps")}?timeoutSeconds=1&${query}`;
        return (await at().rest("GET", path, undefined, { headers: { "Impersonate-User": "lister" } })).code;
      };
      await expect.poll(() => codeOf(""), { timeout: 10_000, interval: 20 }).toBe(200);
      for (const no of ["watch=false", "watch=False", "watch=0"]) expect(await codeOf(no), no).toBe(200);
      for (const yes of ["watch", "watch=", "watch=true", "watch=True", "watch=t", "watch=1", "watch=yes", "watch=f"]) {
        expect(await codeOf(yes), yes).toBe(403);
      }
    });
  });

  test.each(["//", "//api", "//apis/apps/v1/deployments", "//healthz"])("there is nothing at %s", async (path) => {
    expect(await target().rest("GET", path)).toMatchObject({ code: 404, text: "404 page not found\n" });
  });

  test.each(["/%61pis/apps/v1", "/api/v1/p%6fds", "/api/v1/pods/"])("%s is a path like others", async (path) => {
    expectCode(200, await target().rest("GET", path));
  });
}
