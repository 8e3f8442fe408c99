import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, describe, expect, test } from "vitest";
import { customKind, define, definition, kindOf, randomGroup, type Schema } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const fields: Readonly<Record<string, Schema>> = {
  known: { type: "string" },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  partly: {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    properties: { strict: { type: "object", properties: { a: { type: "string" } } } },
  },
  list: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } },
  map: { type: "object", additionalProperties: { type: "object", properties: { a: { type: "string" } } } },
  maybe: { type: "string", nullable: true },
  mode: { type: "string", default: "A" },
  nullableDefault: { type: "string", nullable: true, default: "x" },
  block: {
    type: "object",
    default: {},
    properties: { seconds: { type: "integer", default: 60 }, name: { type: "string" } },
  },
  optional: { type: "object", properties: { seconds: { type: "integer", default: 5 } } },
  each: { type: "array", items: { type: "object", properties: { port: { type: "integer", default: 2379 } } } },
  embedded: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
};

const defaults = { mode: "A", nullableDefault: "x", block: { seconds: 60 } };

export function crdPruningCases(target: () => ConformanceTarget): void {
  describe("the schema of custom resources", () => {
    const at = scopeOf(target);
    const kind = customKind(target, { schema: { properties: { spec: { type: "object", properties: fields } } } });
    const stored = async (spec: unknown, rest: object = {}) => {
      const path = `${at().path(kind.resource)}?dryRun=All&fieldValidation=Ignore`;
      return expectCode(201, await at().rest("POST", path, { ...kind.widget("w"), spec, ...rest }));
    };

    describe("pruning of custom resources", () => {
      test("a field that the schema does not know is dropped, at every depth", async () => {
        const { spec } = await stored({
          known: "k",
          unknown: 1,
          list: [{ name: "a", x: 1 }],
          map: { m: { a: "1", b: "2" } },
        });
        expect(spec).toEqual({ ...defaults, known: "k", list: [{ name: "a" }], map: { m: { a: "1" } } });
      });

      test("a field beside spec that the schema does not know is dropped", async () => {
        expect(await stored({}, { extra: true })).not.toHaveProperty("extra");
      });

      test("x-kubernetes-preserve-unknown-fields keeps whatever is below", async () => {
        const free = { any: [1, "two", { three: null }], deep: { er: true } };
        expect((await stored({ free })).spec).toMatchObject({ free });
      });

      test("below it, what has a schema of its own is pruned again", async () => {
        const { spec } = await stored({ partly: { unknown: 1, strict: { a: "1", b: "2" } } });
        expect(spec).toMatchObject({ partly: { unknown: 1, strict: { a: "1" } } });
        expect((spec as { partly: { strict: object } }).partly.strict).toEqual({ a: "1" });
      });

      test("metadata keeps only what metadata has", async () => {
        const { metadata } = await stored({}, { metadata: { name: "w", labels: { a: "b" }, invented: "x" } });
        expect(metadata).toMatchObject({ name: "w", labels: { a: "b" } });
        expect(metadata).not.toHaveProperty("invented");
      });

      test("an embedded object must have apiVersion and kind, and keeps its fields", async () => {
        const embedded = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { a: "1" } };
        expect((await stored({ embedded })).spec).toMatchObject({ embedded });
        const refused = await at().rest(
          "POST",
          at().path(kind.resource),
          kind.widget("w", { spec: { embedded: { a: 1 } } }),
        );
        expect(refused.code).toBe(422);
        expect(refused.body.message).toContain("spec.embedded.kind: Required value");
      });
    });

    describe("defaulting of custom resources", () => {
      test("a missing field gets its default, and a missing block the defaults within", async () => {
        expect((await stored({})).spec).toEqual(defaults);
      });

      test("a block without a default of its own is filled in only when it is there", async () => {
        expect((await stored({ optional: {} })).spec).toEqual({ ...defaults, optional: { seconds: 5 } });
      });

      test("a block that is half there gets the other half", async () => {
        expect((await stored({ block: { name: "n" } })).spec).toMatchObject({ block: { name: "n", seconds: 60 } });
      });

      test("items of a list are filled in", async () => {
        expect((await stored({ each: [{}, { port: 1 }] })).spec).toMatchObject({ each: [{ port: 2379 }, { port: 1 }] });
      });

      test("null for a field that is not nullable counts as missing, for one that is it stays", async () => {
        const { spec } = await stored({ mode: null, known: null, maybe: null, nullableDefault: null });
        expect(spec).toEqual({ ...defaults, maybe: null, nullableDefault: null });
      });

      test("a value that was given is kept", async () => {
        expect((await stored({ mode: "B", block: { seconds: 0 } })).spec).toMatchObject({
          mode: "B",
          block: { seconds: 0 },
        });
      });

      test("what a merge patch removes is filled in again", async () => {
        await at().create(kind.resource, kind.widget("refilled", { spec: { mode: "B" } }));
        const answer = await at().rest("PATCH", at().path(kind.resource, "refilled"), { spec: { mode: null } });
        expect(expectCode(200, answer).spec).toEqual(defaults);
      });
    });

    describe("an object that is older than its schema", () => {
      const old = kindOf(randomGroup());
      afterAll(async () => {
        await target().rest("DELETE", old.crd);
      });

      test("shows new defaults when it is read, and keeps its resourceVersion", async () => {
        await define(target(), old.group, { schema: { properties: { spec: { type: "object" } } } });
        const { metadata } = await at().create(old.resource, old.widget("old", { spec: {} }));
        const { body } = await at().rest("GET", old.crd);
        const spec = { type: "object", properties: { size: { type: "integer", default: 3 } } };
        const changed = definition(old.group, { schema: { properties: { spec } } });
        expectCode(200, await at().rest("PUT", old.crd, { ...changed, metadata: body.metadata ?? {} }));
        const filled = async () => {
          const read = await at().get(old.resource, "old");
          return (read.spec as { size?: number }).size === 3 && read;
        };
        const read = await until(filled, { what: "the new default to show" });
        expect(read.metadata?.resourceVersion).toBe(metadata?.resourceVersion);
        const { body: list } = await at().rest<{ items: object[] }>("GET", at().path(old.resource));
        expect(list.items).toMatchObject([{ spec: { size: 3 } }]);
      });
    });
  });
}
