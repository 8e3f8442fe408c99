import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { inOrder, itemElement, pathText } from "./path-element.ts";
import { DEDUCED, type ListShape } from "./shape.ts";
import { TypeMismatch } from "./type-mismatch.ts";

const listOf = (merge: ListShape["merge"]): ListShape => ({ kind: "list", of: () => DEDUCED, merge });
const ports = listOf({ kind: "map", keys: [{ name: "port" }, { name: "protocol", otherwise: "TCP" }] });

describe("an item of a list", () => {
  test("is called by its keys, with what a missing one is taken to be", () => {
    assert.equal(itemElement(ports, { protocol: "UDP", port: 53 }), 'k:{"port":53,"protocol":"UDP"}');
    assert.equal(itemElement(ports, { port: 80, name: "web" }), 'k:{"port":80,"protocol":"TCP"}');
  });

  test("of a set is called by its value", () => {
    assert.equal(itemElement(listOf({ kind: "set" }), 'a"b'), 'v:"a\\"b"');
  });

  test("without any key has no name", () => {
    const named = listOf({ kind: "map", keys: [{ name: "name" }] });
    assert.throws(() => itemElement(named, { value: "1" }), TypeMismatch);
    assert.throws(() => itemElement(named, null), TypeMismatch);
    assert.throws(() => itemElement(named, "a"), TypeMismatch);
  });
});

test("a set is written with itself first, then fields by name, then items by the values of their keys", () => {
  const set = {
    'k:{"port":80}': {},
    'k:{"port":9}': {},
    'k:{"name":"b"}': {},
    'k:{"name":"a b"}': {},
    "f:z": {},
    "f:a": { "f:c": {}, "f:b": {} },
    ".": {},
  };
  assert.equal(
    JSON.stringify(inOrder(set)),
    '{".":{},"f:a":{"f:b":{},"f:c":{}},"f:z":{},"k:{\\"name\\":\\"a b\\"}":{},"k:{\\"name\\":\\"b\\"}":{},"k:{\\"port\\":9}":{},"k:{\\"port\\":80}":{}}',
  );
});

test("a set that is in order is left alone", () => {
  const set = { "f:a": { ".": {}, "f:b": {} }, "f:c": {} };
  assert.equal(inOrder(set), set);
});

test("a path is told as people would write it", () => {
  const path = ["f:spec", "f:containers", 'k:{"name":"a"}', "f:ports", 'k:{"containerPort":80,"protocol":"TCP"}'];
  assert.equal(pathText(path), '.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"]');
  assert.equal(pathText(["f:metadata", "f:finalizers", 'v:"x/y"']), '.metadata.finalizers[="x/y"]');
});
