import { describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const uid = "11111111-2222-3333-4444-555555555555";

/** What is said to writes of /scale that are not as they should be. */
export function scaleCases(target: () => ConformanceTarget): void {
  describe("the scale of a custom resource without replicas", () => {
    const at = scopeOf(target);
    const kind = customKind(target, {
      schema: { properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } },
      version: { subresources: { scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } } },
    });
    const scaleOf = (name: string) => `${at().path(kind.resource, name)}/scale`;
    const widget = (name: string) => at().create(kind.resource, kind.widget(name, { spec: {} }));

    test("cannot be read, and can be written", async () => {
      await widget("written");
      expect((await at().rest("GET", scaleOf("written"))).code).toBe(500);
      const scale = expectCode(200, await at().rest("PATCH", scaleOf("written"), { spec: { replicas: 5 } }));
      expect(scale.spec).toEqual({ replicas: 5 });
      const object = await at().get(kind.resource, "written");
      expect(object.spec).toEqual({ size: 5 });
    });

    test("is refused when the patch names no number", async () => {
      await widget("unnamed");
      const { code, body } = await at().rest("PATCH", scaleOf("unnamed"), { metadata: { labels: { a: "b" } } });
      expect([code, body.message]).toEqual([400, 'the spec replicas field ".spec.size" cannot be empty']);
      const removed = await at().rest("PATCH", scaleOf("unnamed"), { spec: { replicas: null } });
      expect([removed.code, removed.body.spec]).toEqual([200, {}]);
    });

    test("is refused when the number is none", async () => {
      await widget("wrong");
      const { code, body } = await at().rest("PATCH", scaleOf("wrong"), { spec: { replicas: "x" } });
      expect(code).toBe(422);
      expect(body.message).toContain("json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas");
      const negative = await at().rest("PUT", scaleOf("wrong"), {
        metadata: { name: "wrong" },
        spec: { replicas: -1 },
      });
      expect([negative.code, negative.body.message]).toEqual([
        422,
        `Widget.${kind.group} "wrong" is invalid: .spec.size: Invalid value: -1: should be a non-negative integer`,
      ]);
    });
  });

  describe("a scale", () => {
    const at = scopeOf(target);
    const containers = [{ name: "a", image: "example.com/a" }];
    const template = { metadata: { labels: { app: "a" } }, spec: { containers } };
    const spec = { replicas: 0, selector: { matchLabels: { app: "a" } }, template };
    const path = async (name: string) => {
      await at().create("apps/v1/replicasets", { metadata: { name }, spec });
      return `${at().path("apps/v1/replicasets", name)}/scale`;
    };

    test("has to be the one of the path", async () => {
      const scale = await path("named");
      const other = await at().rest("PUT", scale, { metadata: { name: "other" }, spec: { replicas: 0 } });
      const why = "the name of the object (other) does not match the name on the URL (named)";
      expect([other.code, other.body.message]).toEqual([400, why]);
      const renamed = await at().rest("PATCH", scale, { metadata: { name: "other" } });
      expect([renamed.code, renamed.body.message]).toEqual([400, why]);
      const foreign = await at().rest("PUT", scale, { metadata: { name: "named", uid }, spec: { replicas: 0 } });
      expect([foreign.code, foreign.body.reason]).toEqual([409, "Conflict"]);
    });

    test("is read like any object after a patch", async () => {
      const scale = await path("patched");
      const wrong = await at().rest("PATCH", scale, { spec: { replicas: 1.5 } });
      expect(wrong.code).toBe(422);
      expect(wrong.body.message).toContain("cannot unmarshal number 1.5 into Go struct field ScaleSpec.spec.replicas");
      const odd = await at().rest("PATCH", `${scale}?dryRun=All`, { odd: 1 });
      expect([odd.code, odd.headers.warning]).toEqual([200, '299 - "unknown field \\"odd\\""']);
      const kind = await at().rest("PATCH", scale, { kind: "Foo" });
      expect(kind.code).toBe(422);
      expect(kind.body.message).toContain('no kind "Foo" is registered for version "autoscaling/v1"');
    });
  });
}
