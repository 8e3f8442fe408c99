import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

const jsonPatch = { contentType: "application/json-patch+json" };
const mergePatch = { contentType: "application/merge-patch+json" };

export function patchCases(target: () => ConformanceTarget): void {
  describe("patch", () => {
    const at = scopeOf(target);
    const configMap = (name: string, rest: KubeObject = {}) =>
      at().create("configmaps", { metadata: { name }, ...rest });
    const patch = (name: string, body: unknown, options = mergePatch) =>
      at().rest("PATCH", at().path("configmaps", name), body, options);

    describe("JSON patch", () => {
      test("it adds, replaces, removes, copies and moves", async () => {
        await configMap("operations", { data: { a: "1", b: "2", c: "3" } });
        const operations = [
          { op: "test", path: "/data/a", value: "1" },
          { op: "replace", path: "/data/a", value: "one" },
          { op: "remove", path: "/data/b" },
          { op: "copy", from: "/data/a", path: "/data/d" },
          { op: "move", from: "/data/c", path: "/data/e" },
          { op: "add", path: "/metadata/labels", value: { "example.com/app": "x" } },
          { op: "add", path: "/metadata/labels/example.com~1tier", value: "y" },
        ];
        const body = expectCode(200, await patch("operations", operations, jsonPatch));
        expect(body.data).toEqual({ a: "one", d: "one", e: "3" });
        expect(body.metadata?.labels).toEqual({ "example.com/app": "x", "example.com/tier": "y" });
      });

      test("it inserts into and appends to lists", async () => {
        await configMap("lists", { metadata: { name: "lists", finalizers: ["example.com/b"] } });
        const operations = [
          { op: "add", path: "/metadata/finalizers/0", value: "example.com/a" },
          { op: "add", path: "/metadata/finalizers/-", value: "example.com/c" },
        ];
        const body = expectCode(200, await patch("lists", operations, jsonPatch));
        expect(body.metadata?.finalizers).toEqual(["example.com/a", "example.com/b", "example.com/c"]);
        await patch("lists", { metadata: { finalizers: null } });
      });

      test.each([
        ["a test that fails", { op: "test", path: "/data/a", value: "2" }],
        ["removing what is not there", { op: "remove", path: "/data/none" }],
        ["an operation that does not exist", { op: "frobnicate", path: "/data/a" }],
      ])("%s is refused with 422 and changes nothing", async (what, operation) => {
        const name = what.replaceAll(" ", "-");
        await configMap(name, { data: { a: "1" } });
        const change = { op: "replace", path: "/data/a", value: "changed" };
        const { code, body } = await patch(name, [operation, change], jsonPatch);
        expect(code).toBe(422);
        expect(body).toMatchObject({
          reason: "Invalid",
          message: "the server rejected our request due to an error in our request",
        });
        expect((await at().get("configmaps", name)).data).toEqual({ a: "1" });
      });

      test("a body that is no list is a 400", async () => {
        await configMap("no-list");
        const { code, body } = await patch("no-list", { data: {} }, jsonPatch);
        expect(code).toBe(400);
        expect(body.message).toContain("error decoding patch");
      });

      test("removing finalizers in step with a test of the uid is possible", async () => {
        const { metadata } = await configMap("guarded", {
          metadata: { name: "guarded", finalizers: ["example.com/a"] },
        });
        const operations = [
          { op: "test", path: "/metadata/uid", value: metadata?.uid },
          { op: "remove", path: "/metadata/finalizers" },
        ];
        expect(expectCode(200, await patch("guarded", operations, jsonPatch)).metadata?.finalizers).toBeUndefined();
      });
    });

    describe("merge patch", () => {
      test("it sets what it names, removes what it sets to null, and leaves the rest", async () => {
        await configMap("merged", { data: { a: "1", b: "2", c: "3" } });
        const body = expectCode(200, await patch("merged", { data: { a: "one", b: null, d: "4" } }));
        expect(body.data).toEqual({ a: "one", c: "3", d: "4" });
      });

      test("a list is replaced as a whole", async () => {
        const finalizers = ["example.com/a", "example.com/b"];
        await configMap("list", { metadata: { name: "list", finalizers } });
        const body = expectCode(200, await patch("list", { metadata: { finalizers: ["example.com/c"] } }));
        expect(body.metadata?.finalizers).toEqual(["example.com/c"]);
        await patch("list", { metadata: { finalizers: null } });
      });

      test("one that changes nothing keeps the resourceVersion", async () => {
        const { metadata } = await configMap("unchanged", { data: { a: "1" } });
        const body = expectCode(200, await patch("unchanged", { data: { a: "1" } }));
        expect(body.metadata?.resourceVersion).toBe(metadata?.resourceVersion);
      });

      test("a resourceVersion in it must be the current one", async () => {
        const { metadata } = await configMap("versioned");
        const resourceVersion = metadata?.resourceVersion;
        expectCode(200, await patch("versioned", { metadata: { resourceVersion }, data: { a: "1" } }));
        const { code, body } = await patch("versioned", { metadata: { resourceVersion }, data: { a: "2" } });
        expect(code).toBe(409);
        expect(body.message).toContain("the object has been modified; please apply your changes to the latest version");
      });

      test("a name in it must be that of the object", async () => {
        await configMap("steady");
        const { code, body } = await patch("steady", { metadata: { name: "moved" } });
        expect(code).toBe(400);
        expect(body.message).toBe("the name of the object (moved) does not match the name on the URL (steady)");
      });

      test("another uid is refused", async () => {
        await configMap("another-uid");
        const { code } = await patch("another-uid", { metadata: { uid: "11111111-1111-1111-1111-111111111111" } });
        expect([409, 422]).toContain(code);
      });

      test("an object that does not exist is a 404", async () => {
        const { code, body } = await patch("none", { data: { a: "1" } });
        expect(code).toBe(404);
        expect(body.message).toBe('configmaps "none" not found');
      });

      test("what is no JSON is a 400", async () => {
        await configMap("garbled");
        const { code, body } = await patch("garbled", "{");
        expect(code).toBe(400);
        expect(body.message).toContain("error decoding patch");
      });
    });

    describe("any other patch", () => {
      test("a content type that is no patch is refused with 415", async () => {
        await configMap("plain-json");
        const { code, body } = await patch("plain-json", { data: {} }, { contentType: "application/json" });
        expect(code).toBe(415);
        expect(body).toMatchObject({ kind: "Status", reason: "UnsupportedMediaType", code: 415 });
      });
    });
  });
}
