import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, test } from "vitest";
import { expectCode, needsControllers, type Scope, scopeIn } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

export function namespaceCases(target: () => ConformanceTarget): void {
  describe("a namespace", () => {
    const fresh = async (): Promise<Scope> => scopeIn(target(), await target().freshNamespace());

    test("is Active, carries its name as a label, and waits for the finalizer kubernetes", async () => {
      const { rest, namespace } = await fresh();
      expect(expectCode(200, await rest("GET", `/api/v1/namespaces/${namespace}`))).toMatchObject({
        metadata: { labels: { "kubernetes.io/metadata.name": namespace } },
        spec: { finalizers: ["kubernetes"] },
        status: { phase: "Active" },
      });
    });

    test.each(["default", "kube-system", "kube-public", "kube-node-lease"])("%s is always there", async (name) => {
      expectCode(200, await target().rest("GET", `/api/v1/namespaces/${name}`));
    });

    test("gets a default ServiceAccount and the CA of the API server", async (context) => {
      needsControllers(context, target());
      const scope = await fresh();
      const certificate = await until(
        async () => {
          const { body } = await scope.rest("GET", scope.path("configmaps", "kube-root-ca.crt"));
          return (body.data as Record<string, string> | undefined)?.["ca.crt"];
        },
        { what: "ConfigMap kube-root-ca.crt" },
      );
      expect(certificate).toContain("-----BEGIN CERTIFICATE-----");
      await scope.get("serviceaccounts", "default");
    });

    test("is Terminating once deleted, while something in it has a finalizer, and takes nothing new", async () => {
      const scope = await fresh();
      const path = `/api/v1/namespaces/${scope.namespace}`;
      await scope.create("configmaps", { metadata: { name: "held", finalizers: ["example.com/a"] } });
      expect(expectCode(200, await scope.rest("DELETE", path))).toMatchObject({
        kind: "Namespace",
        metadata: { deletionTimestamp: expect.any(String) },
        status: { phase: "Terminating" },
      });
      const { code, body } = await scope.rest("POST", scope.path("configmaps"), { metadata: { name: "late" } });
      expect(code).toBe(403);
      expect(body).toMatchObject({
        reason: "Forbidden",
        message:
          `configmaps "late" is forbidden: unable to create new content in namespace ${scope.namespace} ` +
          "because it is being terminated",
        details: { causes: [{ reason: "NamespaceTerminating", field: "metadata.namespace" }] },
      });
      await scope.rest("PATCH", scope.path("configmaps", "held"), { metadata: { finalizers: null } });
    });

    test("lets what it holds be changed while it ends", async () => {
      const scope = await fresh();
      const metadata = { name: "held", finalizers: ["example.com/a"] };
      await scope.create("configmaps", { metadata });
      await scope.rest("DELETE", `/api/v1/namespaces/${scope.namespace}`);
      const path = scope.path("configmaps", "held");
      expectCode(200, await scope.rest("PATCH", path, { data: { a: "1" } }));
      expectCode(200, await scope.rest("PATCH", path, { metadata: { finalizers: null } }));
    });

    test("takes all it holds with it, and is gone when all of it is", async (context) => {
      needsControllers(context, target());
      const scope = await fresh();
      await scope.create("configmaps", { metadata: { name: "a" } });
      await scope.create("services", { metadata: { name: "b" }, spec: { ports: [{ port: 1 }] } });
      await scope.create("coordination.k8s.io/v1/leases", { metadata: { name: "c" } });
      await scope.rest("DELETE", `/api/v1/namespaces/${scope.namespace}`);
      const gone = async () => (await scope.rest("GET", `/api/v1/namespaces/${scope.namespace}`)).code === 404;
      await until(gone, { what: "the namespace to be gone", timeoutMs: 40_000 });
      expect((await scope.rest("GET", scope.path("configmaps", "a"))).code).toBe(404);
    });

    test("that is called default cannot be deleted", async () => {
      const { code, body } = await target().rest("DELETE", "/api/v1/namespaces/default");
      expect(code).toBe(403);
      expect(body.message).toBe('namespaces "default" is forbidden: this namespace may not be deleted');
    });

    test("must be named like a DNS label", async () => {
      const { code, body } = await target().rest("POST", "/api/v1/namespaces", { metadata: { name: "a.b" } });
      expect(code).toBe(422);
      expect(body).toMatchObject({ details: { causes: [{ reason: "FieldValueInvalid", field: "metadata.name" }] } });
    });
  });
}
