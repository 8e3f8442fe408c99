import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { JsonObject, KubeObject } from "../kube-object.ts";
import { applyFields } from "./apply-fields.ts";
import { shapeOfCustom } from "./custom-shape.ts";

const shape = shapeOfCustom({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string" },
        b: { type: "string" },
        map: { type: "object", additionalProperties: { type: "string" } },
        list: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: { type: "object", properties: { name: { type: "string" }, v: { type: "string" } } },
        },
      },
    },
  },
});

/** One object and those who apply to it in turn. */
class World {
  live: KubeObject = { apiVersion: "v1", kind: "Thing", metadata: { name: "a" } };

  apply(manager: string, spec: JsonObject | undefined, isForced = false): JsonObject {
    const applied = { apiVersion: "v1", kind: "Thing", metadata: { name: "a" }, ...(spec && { spec }) };
    const who = { manager, operation: "Apply", apiVersion: "v1" } as const;
    const ofPath = <Fields>(fields: Fields) => fields;
    const { object, managedFields } = applyFields({ shape, live: this.live, applied, who, isForced, ofPath });
    this.live = { ...object, metadata: { name: "a", ...(managedFields && { managedFields }) } } as KubeObject;
    return object.spec as JsonObject;
  }

  get managers(): Record<string, unknown> {
    const entries = (this.live.metadata.managedFields ?? []) as { manager: string; fieldsV1: JsonObject }[];
    return Object.fromEntries(entries.map(({ manager, fieldsV1 }) => [manager, fieldsV1["f:spec"]]));
  }
}

describe("who applies", () => {
  test("loses what they no longer speak of, with the structs around it", () => {
    const world = new World();
    world.apply("one", { a: "1", list: [{ name: "x", v: "1" }] });
    assert.deepEqual(world.apply("one", { a: "1" }), { a: "1" });
    assert.deepEqual(world.managers, { one: { "f:a": {} } });
  });

  test("keeps the items that others have, without their own fields of them", () => {
    const world = new World();
    world.apply("one", { list: [{ name: "x", v: "1" }, { name: "y" }] });
    world.apply("two", { list: [{ name: "x" }] });
    assert.deepEqual(world.apply("one", { list: [{ name: "y" }] }), { list: [{ name: "x" }, { name: "y" }] });
  });

  test("keeps keys of a map that others added", () => {
    const world = new World();
    world.apply("one", { map: { x: "1" } });
    world.apply("two", { map: { y: "1" } });
    assert.deepEqual(world.apply("one", {}), { map: { y: "1" } });
    assert.deepEqual(world.managers, { one: {}, two: { "f:map": { "f:y": {} } } });
  });

  test("is told of every field that others gave another value", () => {
    const world = new World();
    world.apply("one", { a: "1", list: [{ name: "x", v: "1" }] });
    assert.throws(() => world.apply("two", { a: "2", b: "1", list: [{ name: "x", v: "2" }] }), {
      code: 409,
      message: 'Apply failed with 2 conflicts: conflicts with "one":\n- .spec.a\n- .spec.list[name="x"].v',
    });
  });

  test("takes fields by force, and gives none back when they stop", () => {
    const world = new World();
    world.apply("one", { a: "1", b: "1" });
    assert.deepEqual(world.apply("two", { a: "2" }, true), { a: "2", b: "1" });
    assert.deepEqual(world.managers, { one: { "f:b": {} }, two: { "f:a": {} } });
    assert.deepEqual(world.apply("two", undefined), { b: "1" });
    assert.deepEqual(world.managers, { one: { "f:b": {} } });
  });

  test("may be first to an object that nobody kept track of", () => {
    const world = new World();
    world.live = { ...world.live, spec: { a: "1", b: "1" } };
    assert.deepEqual(world.apply("one", { a: "1" }), { a: "1", b: "1" });
    assert.deepEqual(Object.keys(world.managers).sort(), ["before-first-apply", "one"]);
  });
});

describe("kubectl", () => {
  const LAST = "kubectl.kubernetes.io/last-applied-configuration";

  function clientSide(spec: JsonObject, live: JsonObject): World {
    const last = JSON.stringify({ apiVersion: "v1", kind: "Thing", metadata: { name: "a" }, spec });
    const fieldsV1 = { "f:spec": { "f:a": {}, "f:b": {} } };
    const entry = {
      manager: "kubectl-client-side-apply",
      operation: "Update",
      apiVersion: "v1",
      fieldsType: "FieldsV1",
    };
    const world = new World();
    const metadata = { name: "a", annotations: { [LAST]: last }, managedFields: [{ ...entry, fieldsV1 }] };
    world.live = { ...world.live, metadata, spec: live };
    return world;
  }

  test("may change what it wrote by client-side apply, and the annotation follows", () => {
    const world = clientSide({ a: "1" }, { a: "1" });
    const who = { manager: "kubectl", operation: "Apply", apiVersion: "v1" } as const;
    const applied = { apiVersion: "v1", kind: "Thing", metadata: { name: "a" }, spec: { a: "2" } };
    const ofPath = <Fields>(fields: Fields) => fields;
    const { object } = applyFields({ shape, live: world.live, applied, who, isForced: false, ofPath });
    assert.deepEqual(object.spec, { a: "2" });
    const annotations = (object.metadata as KubeObject["metadata"]).annotations;
    assert.equal(annotations?.[LAST], `${JSON.stringify(applied)}\n`);
  });

  test("may not change what somebody changed since", () => {
    const world = clientSide({ a: "1" }, { a: "other" });
    assert.throws(() => world.apply("kubectl", { a: "2" }), { code: 409 });
  });
});
