import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

export function updateCases(target: () => ConformanceTarget): void {
  describe("update", () => {
    const at = scopeOf(target);
    const configMap = (name: string, rest: KubeObject = {}) =>
      at().create("configmaps", { metadata: { name }, ...rest });
    const put = (name: string, body: KubeObject) => at().rest("PUT", at().path("configmaps", name), body);

    test("it replaces the whole object and gives it a newer resourceVersion", async () => {
      const object = await configMap("replaced", { data: { a: "1", b: "2" } });
      const body = expectCode(200, await put("replaced", { ...object, data: { a: "3" } }));
      expect(body.data).toEqual({ a: "3" });
      expect(Number(body.metadata?.resourceVersion)).toBeGreaterThan(Number(object.metadata?.resourceVersion));
      expect(body.metadata?.uid).toBe(object.metadata?.uid);
    });

    test("an outdated resourceVersion is refused with 409 Conflict", async () => {
      const object = await configMap("outdated");
      await put("outdated", { ...object, data: { a: "1" } });
      const { code, body } = await put("outdated", { ...object, data: { a: "2" } });
      expect(code).toBe(409);
      expect(body).toMatchObject({
        reason: "Conflict",
        message:
          'Operation cannot be fulfilled on configmaps "outdated": the object has been modified; ' +
          "please apply your changes to the latest version and try again",
        details: { name: "outdated", kind: "configmaps" },
      });
    });

    test("without a resourceVersion it is unconditional", async () => {
      await configMap("unconditional", { data: { a: "1" } });
      const body = expectCode(
        200,
        await put("unconditional", { metadata: { name: "unconditional" }, data: { a: "2" } }),
      );
      expect(body.data).toEqual({ a: "2" });
    });

    test("one that changes nothing keeps the resourceVersion", async () => {
      const object = await configMap("same", { data: { a: "1" } });
      const body = expectCode(200, await put("same", object));
      expect(body.metadata?.resourceVersion).toBe(object.metadata?.resourceVersion);
    });

    test("uid and creationTimestamp stay, even when the body leaves them out", async () => {
      const object = await configMap("keeps");
      const { metadata } = expectCode(200, await put("keeps", { metadata: { name: "keeps" }, data: { a: "1" } }));
      expect(metadata?.uid).toBe(object.metadata?.uid);
      expect(metadata?.creationTimestamp).toBe(object.metadata?.creationTimestamp);
    });

    test("another uid is refused with 409, for it means another object", async () => {
      await configMap("other-uid");
      const metadata = { name: "other-uid", uid: "11111111-1111-1111-1111-111111111111" };
      const { code, body } = await put("other-uid", { metadata });
      expect(code).toBe(409);
      expect(body.reason).toBe("Conflict");
      expect(body.message).toContain("Precondition failed: UID in precondition: 11111111-1111-1111-1111-111111111111");
    });

    test("a name other than the one in the path is refused with 400", async () => {
      await configMap("named");
      const { code, body } = await put("named", { metadata: { name: "renamed" } });
      expect(code).toBe(400);
      expect(body.message).toBe("the name of the object (renamed) does not match the name on the URL (named)");
    });

    test("an object that does not exist is a 404", async () => {
      const { code, body } = await put("none", { metadata: { name: "none" } });
      expect(code).toBe(404);
      expect(body).toMatchObject({ reason: "NotFound", message: 'configmaps "none" not found' });
    });

    test("a body without a name is refused", async () => {
      await configMap("nameless");
      const { code, body } = await put("nameless", { data: { a: "1" } });
      expect(code).toBe(400);
      expect(body.message).toContain("name must be provided");
    });

    test("an immutable ConfigMap keeps its data", async () => {
      const object = await configMap("immutable", { data: { a: "1" }, immutable: true });
      const { code, body } = await put("immutable", { ...object, data: { a: "2" } });
      expect(code).toBe(422);
      expect(body).toMatchObject({ details: { causes: [{ reason: "FieldValueForbidden", field: "data" }] } });
    });

    test("the generation rises with the spec and not with metadata", async () => {
      const object = await at().create("policy/v1/poddisruptionbudgets", {
        metadata: { name: "counted" },
        spec: { maxUnavailable: 1, selector: { matchLabels: { app: "a" } } },
      });
      const path = at().path("policy/v1/poddisruptionbudgets", "counted");
      expect(object.metadata?.generation).toBe(1);
      const labelled = expectCode(200, await at().rest("PATCH", path, { metadata: { labels: { a: "b" } } }));
      expect(labelled.metadata?.generation).toBe(1);
      const changed = expectCode(200, await at().rest("PATCH", path, { spec: { maxUnavailable: 2 } }));
      expect(changed.metadata?.generation).toBe(2);
    });

    test("a generation of the client's is not taken", async () => {
      const object = await at().create("policy/v1/poddisruptionbudgets", {
        metadata: { name: "claimed", generation: 7 },
        spec: { maxUnavailable: 1, selector: { matchLabels: { app: "a" } } },
      });
      expect(object.metadata?.generation).toBe(1);
    });
  });

  describe("status", () => {
    const at = scopeOf(target);
    const pod = (name: string) =>
      at().create("pods", {
        metadata: { name },
        spec: { schedulerName: "none", containers: [{ name: "a", image: "a" }] },
      });

    test("a PUT to the object leaves the status as it is", async () => {
      const object = await pod("by-object");
      const path = at().path("pods", "by-object");
      const body = expectCode(200, await at().rest("PUT", path, { ...object, status: { phase: "Running" } }));
      expect(body.status).toMatchObject({ phase: "Pending" });
    });

    test("a PUT to the status leaves the spec as it is", async () => {
      const object = await pod("by-status");
      const changed = {
        ...object,
        spec: { ...(object.spec as object), activeDeadlineSeconds: 5 },
        status: { phase: "Running", podIP: "10.1.2.3", podIPs: [{ ip: "10.1.2.3" }] },
      };
      const body = expectCode(200, await at().rest("PUT", at().path("pods", "by-status/status"), changed));
      expect(body.status).toMatchObject({ phase: "Running", podIP: "10.1.2.3" });
      expect(body.spec).not.toHaveProperty("activeDeadlineSeconds");
    });

    test("a PATCH of the status merges conditions by their type", async () => {
      await pod("conditions");
      const path = at().path("pods", "conditions/status");
      const contentType = "application/strategic-merge-patch+json";
      for (const type of ["Ready", "example.com/voter"]) {
        const status = { conditions: [{ type, status: "True" }] };
        expectCode(200, await at().rest("PATCH", path, { status }, { contentType }));
      }
      const { status } = await at().get("pods", "conditions");
      const types = (status as { conditions: { type: string }[] }).conditions.map(({ type }) => type);
      expect(types.sort()).toEqual(["Ready", "example.com/voter"]);
    });

    test("a GET of the status is the whole object", async () => {
      const { metadata } = await pod("read-status");
      const body = expectCode(200, await at().rest("GET", at().path("pods", "read-status/status")));
      expect(body).toMatchObject({ kind: "Pod", metadata: { uid: metadata?.uid }, spec: expect.anything() });
    });

    test("writing the status does not raise the generation", async () => {
      const object = await at().create("policy/v1/poddisruptionbudgets", {
        metadata: { name: "reported" },
        spec: { maxUnavailable: 1, selector: { matchLabels: { app: "a" } } },
      });
      const path = at().path("policy/v1/poddisruptionbudgets", "reported/status");
      const status = { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
      const body = expectCode(200, await at().rest("PATCH", path, { status }));
      expect(body.metadata?.generation).toBe(object.metadata?.generation);
      expect(body.status).toMatchObject({ disruptionsAllowed: 1 });
    });

    test("the status of a kind that has none is a 404", async () => {
      await at().create("configmaps", { metadata: { name: "plain" } });
      const { code } = await at().rest("PUT", at().path("configmaps", "plain/status"), { metadata: { name: "plain" } });
      expect(code).toBe(404);
    });
  });
}
