import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

export function dryRunCases(target: () => ConformanceTarget): void {
  describe("dryRun=All", () => {
    const at = scopeOf(target);
    const dry = "?dryRun=All";

    test("a create answers as if it had happened, and stores nothing", async () => {
      const object = { metadata: { name: "ghost" }, data: { a: "1" } };
      const body = expectCode(201, await at().rest("POST", at().path("configmaps") + dry, object));
      expect(body).toMatchObject({ kind: "ConfigMap", metadata: { name: "ghost", uid: expect.any(String) } });
      expect(body.metadata?.resourceVersion).toBeUndefined();
      expect((await at().rest("GET", at().path("configmaps", "ghost"))).code).toBe(404);
    });

    test("a create is refused for the same reasons", async () => {
      await at().create("configmaps", { metadata: { name: "taken" } });
      const { code } = await at().rest("POST", at().path("configmaps") + dry, { metadata: { name: "taken" } });
      expect(code).toBe(409);
      const invalid = await at().rest("POST", at().path("configmaps") + dry, { metadata: { name: "No" } });
      expect(invalid.code).toBe(422);
    });

    test("an update and a patch show the outcome, and store nothing", async () => {
      const object = await at().create("configmaps", { metadata: { name: "kept" }, data: { a: "1" } });
      const path = at().path("configmaps", "kept");
      const put = await at().rest("PUT", path + dry, { ...object, data: { a: "2" } });
      expect(expectCode(200, put).data).toEqual({ a: "2" });
      const patched = await at().rest("PATCH", path + dry, { data: { b: "3" } });
      expect(expectCode(200, patched).data).toEqual({ a: "1", b: "3" });
      expect(await at().get("configmaps", "kept")).toEqual(object);
    });

    test("a delete succeeds, and the object stays", async () => {
      const object = await at().create("configmaps", { metadata: { name: "spared" } });
      expectCode(200, await at().rest("DELETE", at().path("configmaps", "spared") + dry));
      expect(await at().get("configmaps", "spared")).toEqual(object);
    });

    test("a delete says so in its body as well as in the query", async () => {
      await at().create("configmaps", { metadata: { name: "spared-too" } });
      expectCode(200, await at().rest("DELETE", at().path("configmaps", "spared-too"), { dryRun: ["All"] }));
      await at().get("configmaps", "spared-too");
    });

    test("a deletecollection deletes nothing", async () => {
      await at().create("configmaps", { metadata: { name: "crowd", labels: { crowd: "yes" } } });
      expectCode(200, await at().rest("DELETE", `${at().path("configmaps")}${dry}&labelSelector=crowd`));
      await at().get("configmaps", "crowd");
    });

    test("a value other than All is refused with 422", async () => {
      const { code, body } = await at().rest("POST", `${at().path("configmaps")}?dryRun=Some`, {
        metadata: { name: "a" },
      });
      expect(code).toBe(422);
      expect(body.message).toContain('dryRun: Unsupported value: ["Some"]: supported values: "All"');
    });
  });
}
