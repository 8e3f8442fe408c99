import { describe, expect, test } from "vitest";
import { customKind } from "../custom-kind.ts";
import { apply, byManager, linesOf } from "../managed-fields.ts";
import { expectCode, needs, scopeOf } from "../scope.ts";
import type { ConformanceTarget } from "../target.ts";

const text = { type: "string" };
const item = {
  type: "object",
  required: ["port"],
  properties: { port: { type: "integer" }, proto: { ...text, default: "TCP" }, v: text, w: text },
};
const spec = {
  type: "object",
  properties: {
    size: { type: "integer" },
    mode: { ...text, default: "plain" },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    map: { type: "object", additionalProperties: { type: "object", properties: { a: text, b: text } } },
    plain: { type: "array", items: text },
    set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    list: {
      type: "array",
      items: item,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "proto"],
    },
    atom: { type: "object", properties: { a: text, b: text }, "x-kubernetes-map-type": "atomic" },
  },
};
const schema = { properties: { spec, status: { type: "object", properties: { note: text } } } };

export function applyCustomCases(target: () => ConformanceTarget): void {
  describe("apply of custom resources", () => {
    const at = scopeOf(target);
    const kind = customKind(target, { schema, version: { subresources: { status: {} } } });
    const applyTo = (name: string, wanted: object, as: string, more: { force?: boolean } = {}) =>
      apply(at(), kind.resource, kind.widget(name, { spec: wanted }), { as, ...more });
    const applied = async (...args: Parameters<typeof applyTo>) => expectCode(200, await applyTo(...args));
    const full = {
      size: 1,
      free: { a: { b: 1, c: [1] } },
      map: { x: { a: "1" } },
      plain: ["a", "b"],
      set: ["p", "q"],
      list: [
        { port: 1, v: "1" },
        { port: 2, v: "2" },
      ],
      atom: { a: "1" },
    };
    const create = (name: string) =>
      at().rest("POST", `${at().path(kind.resource)}?fieldManager=creator`, kind.widget(name, { spec: full }));

    test("a created one has its fields by the schema, defaults among them", async (context) => {
      needs(context, target(), "server-side apply");
      const entry = { ".": {}, "f:port": {}, "f:proto": {}, "f:v": {} };
      expect(byManager(expectCode(201, await create("tracked")))["creator Update"]).toEqual({
        "f:spec": {
          ".": {},
          "f:atom": {},
          "f:free": { ".": {}, "f:a": { ".": {}, "f:b": {}, "f:c": {} } },
          "f:list": { ".": {}, 'k:{"port":1,"proto":"TCP"}': entry, 'k:{"port":2,"proto":"TCP"}': entry },
          "f:map": { ".": {}, "f:x": { ".": {}, "f:a": {} } },
          "f:mode": {},
          "f:plain": {},
          "f:set": { ".": {}, 'v:"p"': {}, 'v:"q"': {} },
          "f:size": {},
        },
      });
    });

    test("lists and maps are merged as the schema says, and what was applied goes again", async (context) => {
      needs(context, target(), "server-side apply");
      expectCode(201, await create("merged"));
      const more = await applied(
        "merged",
        {
          list: [
            { port: 3, v: "3" },
            { port: 1, w: "w" },
          ],
          set: ["z", "p"],
          map: { y: { a: "2" }, x: { b: "2" } },
          free: { a: { d: 1 } },
        },
        "me",
      );
      expect(more.spec).toEqual({
        ...full,
        mode: "plain",
        free: { a: { b: 1, c: [1], d: 1 } },
        map: { x: { a: "1", b: "2" }, y: { a: "2" } },
        set: ["z", "p", "q"],
        list: [
          { port: 3, proto: "TCP", v: "3" },
          { port: 1, proto: "TCP", v: "1", w: "w" },
          { port: 2, proto: "TCP", v: "2" },
        ],
      });
      const less = await applied("merged", { list: [{ port: 1, w: "w2" }], map: { x: {} }, free: {} }, "me");
      expect(less.spec).toEqual({
        ...full,
        mode: "plain",
        list: [
          { port: 1, proto: "TCP", v: "1", w: "w2" },
          { port: 2, proto: "TCP", v: "2" },
        ],
      });
      expect(byManager(less)["me Apply"]).toEqual({
        "f:spec": {
          "f:free": {},
          "f:list": { 'k:{"port":1,"proto":"TCP"}': { ".": {}, "f:port": {}, "f:w": {} } },
          "f:map": { "f:x": {} },
        },
      });
    });

    test("conflicts name fields by their keys, fields before what is below them", async (context) => {
      needs(context, target(), "server-side apply");
      expectCode(201, await create("contested"));
      const wanted = { size: 2, plain: ["c"], atom: { b: "1" }, free: { a: { b: 2 } }, list: [{ port: 2, v: "x" }] };
      const { code, body } = await applyTo("contested", wanted, "me");
      expect(code).toBe(409);
      const fields = [".spec.atom", ".spec.plain", ".spec.size", ".spec.free.a.b", '.spec.list[port=2,proto="TCP"].v'];
      expect(body.message).toBe(
        [
          `Apply failed with 5 conflicts: conflicts with "creator" using ${kind.group}/v1:`,
          ...fields.map((field) => `- ${field}`),
        ].join("\n"),
      );
    });

    test("a default comes back when nobody has the field any more", async (context) => {
      needs(context, target(), "server-side apply");
      expectCode(201, await applyTo("defaulted", { size: 1, mode: "odd" }, "me"));
      const object = await applied("defaulted", { size: 1 }, "me");
      expect(object.spec).toEqual({ size: 1, mode: "plain" });
      expect(object.metadata?.generation).toBe(2);
    });

    test("unknown fields and wrong types are refused by the name of the field", async (context) => {
      needs(context, target(), "server-side apply");
      const unknown = await applyTo("refused", { sise: 2 }, "me");
      const what = `failed to create typed patch object (/refused; ${kind.group}/v1, Kind=Widget)`;
      expect([unknown.code, unknown.body.message]).toEqual([500, `${what}: .spec.sise: field not declared in schema`]);
      const wrong = await applyTo("refused", { size: "x", plain: [5], set: ["a", "a"] }, "me");
      expect(linesOf(wrong.body.message)).toEqual([
        "  .spec.plain[0]: expected string, got &value.valueUnstructured{Value:5}",
        '  .spec.set: duplicate entries for key [="a"]',
        "  .spec.size: expected numeric (int or float), got string",
        `${what}: errors:`,
      ]);
    });

    test("the status has managers of its own", async (context) => {
      needs(context, target(), "server-side apply");
      expectCode(201, await applyTo("stat", { size: 1 }, "me"));
      const wanted = kind.widget("stat", { spec: { size: 9 }, status: { note: "x" } });
      const object = expectCode(200, await apply(at(), kind.resource, wanted, { as: "stat", subresource: "status" }));
      expect(object).toMatchObject({ spec: { size: 1 }, status: { note: "x" } });
      expect(byManager(object)).toEqual({
        "me Apply": { "f:spec": { "f:size": {} } },
        "stat Apply status": { "f:status": { "f:note": {} } },
      });
    });
  });
}
