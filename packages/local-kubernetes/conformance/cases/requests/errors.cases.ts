import { describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { expectCode, needs, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

export function errorCases(target: () => ConformanceTarget): void {
  describe("requests that make no sense", () => {
    const at = scopeOf(target);

    test.each(["/nope", "/apis/nope.example.com", "/apis/nope.example.com/v1/things"])(
      "%s is a page not found",
      async (path) => {
        const { code, text } = await at().rest("GET", path);
        expect({ code, text }).toEqual({ code: 404, text: "404 page not found\n" });
      },
    );

    test.each(["/api/v1/things", "/apis/apps/v1/things", "/api/v1/namespaces/default/pods/a/nope"])(
      "%s is a 404 with a Status",
      async (path) => {
        expect(expectCode(404, await at().rest("GET", path))).toMatchObject({
          kind: "Status",
          apiVersion: "v1",
          status: "Failure",
          reason: "NotFound",
          message: "the server could not find the requested resource",
          code: 404,
        });
      },
    );

    test.each([
      ["PUT", "/api/v1/namespaces"],
      ["PATCH", "/api/v1/namespaces"],
      ["POST", "/api/v1/namespaces/default"],
    ] as const)("%s %s is a 405 with a Status", async (method, path) => {
      const answer = await at().rest(method, path, {});
      expect(expectCode(405, answer)).toMatchObject({
        reason: "MethodNotAllowed",
        message: "the server does not allow this method on the requested resource",
        code: 405,
      });
    });

    test("a body that is no JSON is a 400", async () => {
      const { code, body } = await at().rest("POST", at().path("configmaps"), "{ not json");
      expect(code).toBe(400);
      expect(body).toMatchObject({ kind: "Status", reason: "BadRequest", code: 400 });
    });

    test("a body that is missing is a 400", async () => {
      const { code, body } = await at().rest("POST", at().path("configmaps"));
      expect(code).toBe(400);
      expect(body.reason).toBe("BadRequest");
    });

    test("an unknown content type is a 415 that lists the known ones", async () => {
      const answer = await at().rest("POST", at().path("configmaps"), "hello", { contentType: "text/plain" });
      const body = expectCode(415, answer);
      expect(body.reason).toBe("UnsupportedMediaType");
      expect(body.message).toContain(
        "the body of the request was in an unknown format - accepted media types include:",
      );
      expect(body.message).toContain("application/json");
    });

    test("a body of YAML is taken", async () => {
      const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\ndata:\n  a: '1'\n";
      const answer = await at().rest("POST", at().path("configmaps"), yaml, { contentType: "application/yaml" });
      expect(expectCode(201, answer).data).toEqual({ a: "1" });
    });

    test("an Accept header that nothing can satisfy is a 406", async () => {
      const { code } = await at().rest("GET", at().path("configmaps"), undefined, { headers: { accept: "image/png" } });
      expect(code).toBe(406);
    });

    test("an Accept header that prefers what is unknown falls back to JSON", async () => {
      const accept = "application/vnd.unheard-of, application/json";
      const { code, headers } = await at().rest("GET", at().path("configmaps"), undefined, { headers: { accept } });
      expect(code).toBe(200);
      expect(headers["content-type"]).toBe("application/json");
    });

    test("a body that is too large is a 413", async () => {
      const data = { a: "x".repeat(4 * 1024 * 1024) };
      const { code, body } = await at().rest("POST", at().path("configmaps"), { metadata: { name: "large" }, data });
      expect(code).toBe(413);
      expect(body).toMatchObject({ reason: "RequestEntityTooLarge" });
    });

    test("a ConfigMap above one megabyte is refused with 422", async () => {
      const data = { a: "x".repeat(1024 * 1024 + 1) };
      const { code, body } = await at().rest("POST", at().path("configmaps"), { metadata: { name: "large" }, data });
      expect(code).toBe(422);
      expect(body.message).toContain("Too long: may not be more than 1048576 bytes");
    });
  });

  describe("fieldValidation", () => {
    const at = scopeOf(target);
    const schema = { properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } };
    const kind = customKind(target, { schema });
    const post = (validation: string, rest: object) =>
      at().rest("POST", `${at().path(kind.resource)}?dryRun=All${validation}`, { ...kind.widget("w"), ...rest });

    test("Strict refuses a custom resource with fields that the schema does not know", async () => {
      const { code, body } = await post("&fieldValidation=Strict", { spec: { size: 1, sise: 2 }, extra: true });
      expect(code).toBe(400);
      expect(body.reason).toBe("BadRequest");
      expect(body.message).toMatch(
        /^Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "/,
      );
      expect(body.message).toContain('unknown field "extra"');
      expect(body.message).toContain('unknown field "spec.sise"');
    });

    test("Strict refuses a field of a custom resource that is given twice", async () => {
      const { apiVersion } = kind.widget("w");
      const json = `{"apiVersion":"${apiVersion}","kind":"Widget","metadata":{"name":"w"},"spec":{"size":1,"size":2}}`;
      const { code, body } = await at().rest("POST", `${at().path(kind.resource)}?fieldValidation=Strict`, json);
      expect(code).toBe(400);
      expect(body.message).toContain('strict decoding error: duplicate field "spec.size"');
    });

    test.each(["&fieldValidation=Warn", ""])("%j drops unknown fields with a Warning header", async (validation) => {
      const { code, headers, body } = await post(validation, { spec: { size: 1, sise: 2 } });
      expect(code).toBe(201);
      expect(body.spec).toEqual({ size: 1 });
      expect(headers.warning).toContain('299 - "unknown field \\"spec.sise\\""');
    });

    test("Ignore drops them without a word", async () => {
      const { code, headers, body } = await post("&fieldValidation=Ignore", { spec: { size: 1, sise: 2 } });
      expect(code).toBe(201);
      expect(body.spec).toEqual({ size: 1 });
      expect(headers.warning).toBeUndefined();
    });

    test("Strict holds for updates and patches too", async () => {
      const created = await at().create(kind.resource, kind.widget("strict", { spec: { size: 1 } }));
      const path = `${at().path(kind.resource, "strict")}?fieldValidation=Strict`;
      const put = await at().rest("PUT", path, { ...created, spec: { sise: 2 } });
      expect(put.code).toBe(400);
      const patched = await at().rest("PATCH", path, { spec: { sise: 2 } });
      expect(patched.code).toBe(422);
      expect(patched.body.message).toContain('strict decoding error: unknown field "spec.sise"');
    });

    test("a value that does not exist is refused with 422", async () => {
      const { code, body } = await post("&fieldValidation=Strange", {});
      expect(code).toBe(422);
      expect(body.message).toContain('fieldValidation: Unsupported value: "Strange"');
    });

    test("Strict refuses a pod with fields that pods do not have", async (context) => {
      needs(context, target(), "schemas of built-in kinds");
      const spec = { containerz: 1, containers: [{ name: "a", image: "a", imag: "b" }] };
      const path = `${at().path("pods")}?fieldValidation=Strict`;
      const { code, body } = await at().rest("POST", path, { metadata: { name: "p" }, spec });
      expect(code).toBe(400);
      expect(body.message).toBe(
        'Pod in version "v1" cannot be handled as a Pod: strict decoding error: ' +
          'unknown field "spec.containerz", unknown field "spec.containers[0].imag"',
      );
    });

    test("a built-in kind with a value of the wrong type is a 400", async (context) => {
      needs(context, target(), "schemas of built-in kinds");
      const { code, body } = await at().rest("POST", at().path("configmaps"), {
        metadata: { name: "n" },
        data: { a: 1 },
      });
      expect(code).toBe(400);
      expect(body.message).toContain("ConfigMap.data of type string");
    });
  });
}
