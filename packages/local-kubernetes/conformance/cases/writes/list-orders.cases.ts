import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

const contentType = "application/strategic-merge-patch+json";
const container = (name: string) => ({ name, image: "example.com/a" });

/** In which order a strategic merge patch leaves lists, and which patches it cannot make sense of. */
export function listOrderCases(target: () => ConformanceTarget): void {
  describe("a strategic merge patch of lists", () => {
    const at = scopeOf(target);
    const patch = (name: string, change: object) =>
      at().rest(
        "PATCH",
        at().path("apps/v1/replicasets", name),
        { spec: { template: { spec: change } } },
        { contentType },
      );
    const create = (name: string) => {
      const spec = { containers: ["a", "b", "c"].map(container), schedulerName: "none" };
      const template = { metadata: { labels: { app: "a" } }, spec };
      const selector = { matchLabels: { app: "a" } };
      return at().create("apps/v1/replicasets", { metadata: { name }, spec: { replicas: 0, selector, template } });
    };
    const namesIn = (object: KubeObject) => {
      const { template } = object.spec as { template: { spec: { containers: { name: string }[] } } };
      return template.spec.containers.map(({ name }) => name);
    };

    test("puts items in the order of the patch, and others before those that they stood before", async () => {
      await create("patched");
      const swapped = expectCode(200, await patch("patched", { containers: [container("c"), container("a")] }));
      expect(namesIn(swapped)).toEqual(["b", "c", "a"]);
      const added = expectCode(200, await patch("patched", { containers: [container("d")] }));
      expect(namesIn(added)).toEqual(["d", "b", "c", "a"]);
    });

    test("puts items in the order that $setElementOrder names", async () => {
      await create("ordered");
      const order = { "$setElementOrder/containers": [{ name: "c" }, { name: "a" }] };
      expect(namesIn(expectCode(200, await patch("ordered", order)))).toEqual(["b", "c", "a"]);
    });

    test("puts new values of a list of texts first", async () => {
      const finalizers = ["example.com/a"];
      await at().create("configmaps", { metadata: { name: "texts", finalizers } });
      const path = at().path("configmaps", "texts");
      const changed = await at().rest("PATCH", path, { metadata: { finalizers: ["example.com/b"] } }, { contentType });
      expect(changed.body.metadata?.finalizers).toEqual(["example.com/b", "example.com/a"]);
      expectCode(200, await at().rest("PATCH", path, { metadata: { finalizers: null } }));
    });

    test.each([
      [{ $setElementOrder: [] }, 400, "invalid patch format of setElementOrder list"],
      [{ $deleteFromPrimitiveList: [] }, 400, "invalid patch format of primitive list"],
      [{ $retainKeys: ["a"], hostNetwork: true }, 400, "invalid patch format of retainKeys"],
      [{ $patch: "odd" }, 500, "unknown patch type: odd in map: map[$patch:odd]"],
      [{ "$setElementOrder/odd": [] }, 500, 'unable to find api field in struct PodSpec for the json field "odd"'],
      [{ containers: [{ image: "x" }] }, 500, "map: map[image:x] does not contain declared merge key: name"],
      [{ containers: [{ name: "a", $patch: "merge" }] }, 500, "merging lists cannot yet be specified in the patch"],
    ])("refuses %j", async (change, code, message) => {
      const name = `refused-${code}-${message.length}`;
      await create(name);
      const answer = await patch(name, change);
      expect([answer.code, answer.body.message]).toEqual([code, message]);
    });

    test("is answered with a warning when it gives a field twice", async () => {
      await at().create("configmaps", { metadata: { name: "twice" } });
      const path = `${at().path("configmaps", "twice")}?dryRun=All`;
      const text = '{"data":{"a":"b"},"data":{"a":"c"}}';
      const twice = '299 - "duplicate field \\"data\\""';
      expect((await at().rest("PATCH", path, text, { contentType })).headers.warning).toBe(twice);
      expect((await at().rest("PATCH", path, text)).headers.warning).toBe(twice);
      const odd = await at().rest("PATCH", path, [{ op: "add", path: "/data", value: {}, odd: 1 }], {
        contentType: "application/json-patch+json",
      });
      expect(odd.headers.warning).toBe('299 - "json patch unknown field \\"[0].odd\\""');
    });
  });

  describe("a JSON patch", () => {
    const at = scopeOf(target);

    test("changes keys that have the names of prototypes", async () => {
      await at().create("configmaps", { metadata: { name: "proto" }, data: { a: "1" } });
      const path = at().path("configmaps", "proto");
      const json = { contentType: "application/json-patch+json" };
      const added = await at().rest("PATCH", path, [{ op: "add", path: "/data/__proto__", value: "x" }], json);
      expect(Object.entries(added.body.data ?? {}).sort()).toEqual([
        ["__proto__", "x"],
        ["a", "1"],
      ]);
      const steps = [
        { op: "test", path: "/data/__proto__", value: "x" },
        { op: "copy", from: "/data/__proto__", path: "/data/b" },
        { op: "remove", path: "/data/__proto__" },
      ];
      expect(expectCode(200, await at().rest("PATCH", path, steps, json)).data).toEqual({ a: "1", b: "x" });
    });
  });
}
