import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

// Parsed, for a literal would set the prototype.
const odd = JSON.parse('{ "__proto__": "1", "constructor": "2", "toString": "3" }') as Record<string, string>;

const configMap = (name: string, data: object): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
});

const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const JSON_PATCH = "application/json-patch+json";

export function oddKeyCases(target: () => ConformanceTarget): void {
  describe("keys that JavaScript has a meaning for", () => {
    const at = scopeOf(target);
    const patch = (name: string, body: unknown, contentType: string) =>
      at().rest("PATCH", at().path("configmaps", name), body as KubeObject, { contentType });
    const textOf = (object: KubeObject) => JSON.stringify(object.data);
    const all = JSON.stringify(odd);

    test("are kept by a create and an update", async () => {
      const object = await at().create("configmaps", configMap("written", odd));
      expect(textOf(object)).toBe(all);
      const metadata = { ...object.metadata, labels: { a: "1" } };
      expectCode(200, await at().rest("PUT", at().path("configmaps", "written"), { ...object, metadata }));
      expect(textOf(await at().get("configmaps", "written"))).toBe(all);
    });

    test.each([
      ["a merge patch", MERGE],
      ["a strategic merge patch", STRATEGIC],
    ])("are set and removed by %s", async (_, type) => {
      const name = `by-${type === MERGE ? "merge" : "strategic"}`;
      await at().create("configmaps", configMap(name, { a: "1" }));
      const set = expectCode(200, await patch(name, { data: odd }, type));
      expect(set.data).toEqual({ a: "1", ...odd });
      const nulls = Object.fromEntries(Object.keys(odd).map((key) => [key, null]));
      const gone = expectCode(200, await patch(name, { data: { ...nulls, b: "2" } }, type));
      expect(textOf(gone)).toBe('{"a":"1","b":"2"}');
    });

    test("exist for a JSON patch only when they were set", async () => {
      await at().create("configmaps", configMap("by-json", { a: "1" }));
      const path = "/data/constructor";
      expect((await patch("by-json", [{ op: "remove", path }], JSON_PATCH)).code).toBe(422);
      expectCode(200, await patch("by-json", [{ op: "add", path, value: "2" }], JSON_PATCH));
      const object = expectCode(200, await patch("by-json", [{ op: "remove", path }], JSON_PATCH));
      expect(textOf(object)).toBe('{"a":"1"}');
    });

    test("are no labels and no fields of objects that do not have them", async () => {
      await at().create("configmaps", configMap("plain", {}));
      const list = async (query: string) => at().rest("GET", `${at().path("configmaps")}?${query}`);
      const found = async (selector: string) => {
        const { items } = expectCode(200, await list(`labelSelector=${encodeURIComponent(selector)}`));
        return (items as KubeObject[]).some(({ metadata }) => metadata?.name === "plain");
      };
      expect([await found("constructor"), await found("!constructor")]).toEqual([false, true]);
      expect((await list("fieldSelector=constructor%3Da")).code).toBe(400);
    });
  });
}
