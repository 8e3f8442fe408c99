import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { shapeOfKind } from "./builtin-shape.ts";
import { compare } from "./compare.ts";
import { shapeOfCustom } from "./custom-shape.ts";
import { TypeMismatch } from "./type-mismatch.ts";

const spec = (before: object, after: object, kind = "Pod") =>
  compare(shapeOfKind(kind), { spec: before }, { spec: after });

describe("what differs between two pods", () => {
  test("is nothing where they say the same, whatever the order of their fields", () => {
    assert.equal(spec({ dnsPolicy: "x", hostNetwork: true }, { hostNetwork: true, dnsPolicy: "x" }), undefined);
  });

  test("is a field of one container, found by its name", () => {
    const [a, b] = [{ name: "a", image: "1" }, { name: "b" }];
    const after = { containers: [b, { ...a, image: "2" }] };
    const modified = { "f:spec": { "f:containers": { 'k:{"name":"a"}': { "f:image": {} } } } };
    assert.deepEqual(spec({ containers: [a, b] }, after), { modified });
  });

  test("is a container that came and one that went, each with its fields and with the zero values that Go writes", () => {
    const found = spec({ containers: [{ name: "a" }] }, { containers: [{ name: "b", image: "1" }] });
    const container = { ".": {}, "f:name": {}, "f:resources": {} };
    assert.deepEqual(found, {
      added: { "f:spec": { "f:containers": { 'k:{"name":"b"}': { ...container, "f:image": {} } } } },
      removed: { "f:spec": { "f:containers": { 'k:{"name":"a"}': container } } },
    });
  });

  test("is a whole where the parts belong together", () => {
    const modified = { "f:spec": { "f:nodeSelector": {}, "f:tolerations": {} } };
    const before = { nodeSelector: { a: "1" }, tolerations: [{ key: "a" }] };
    const after = { nodeSelector: { a: "1", b: "2" }, tolerations: [{ key: "b" }] };
    assert.deepEqual(spec(before, after), { modified });
  });

  test("is not that a list with keys begins to be where Go has null already", () => {
    const found = spec({}, { containers: [{ name: "a" }], volumes: [{ name: "v" }] });
    const fields = found?.added?.["f:spec"] ?? {};
    assert.equal("." in (fields["f:containers"] ?? {}), false);
    assert.equal("." in (fields["f:volumes"] ?? {}), true);
  });

  test("is no business of a manager's where the server decides", () => {
    const before = { metadata: { uid: "1", resourceVersion: "1", generation: 1, managedFields: [] } };
    const after = { metadata: { uid: "2", resourceVersion: "2", generation: 2 }, apiVersion: "v1", kind: "Pod" };
    assert.equal(compare(shapeOfKind("Pod"), before, after), undefined);
  });

  test("is one thing for items that share a name", () => {
    const twins = [{ name: "a" }, { name: "a" }];
    const found = spec({ containers: [{ name: "a" }] }, { containers: twins });
    assert.deepEqual(found, { modified: { "f:spec": { "f:containers": { 'k:{"name":"a"}': {} } } } });
  });
});

describe("what differs between two custom objects", () => {
  const shape = shapeOfCustom({
    type: "object",
    properties: {
      free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      plain: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
      map: { type: "object", additionalProperties: { type: "object", properties: { a: { type: "string" } } } },
      named: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: { type: "object", properties: { name: { type: "string" } } },
      },
    },
  });

  test("is found field by field where nothing is known of the fields, and list by list", () => {
    const before = { free: { a: { b: 1, c: [1] } }, plain: [{ a: "1" }] };
    const after = { free: { a: { b: 2, c: [1, 2] }, d: {} }, plain: [] };
    assert.deepEqual(compare(shape, before, after), {
      modified: { "f:free": { "f:a": { "f:b": {}, "f:c": {} } }, "f:plain": {} },
      added: { "f:free": { "f:d": {} } },
    });
  });

  test("is a field itself and what is now below it, where a list becomes a map", () => {
    assert.deepEqual(compare(shape, { free: { a: [1] } }, { free: { a: { b: 1 } } }), {
      modified: { "f:free": { "f:a": {} } },
      added: { "f:free": { "f:a": { "f:b": {} } } },
    });
  });

  test("is a key of a map with what it holds", () => {
    assert.deepEqual(compare(shape, {}, { map: { x: { a: "1" } } }), {
      added: { "f:map": { ".": {}, "f:x": { ".": {}, "f:a": {} } } },
    });
  });

  test("cannot be said of items without a name", () => {
    assert.throws(() => compare(shape, { named: [] }, { named: [{ value: 1 }] }), TypeMismatch);
  });
});
