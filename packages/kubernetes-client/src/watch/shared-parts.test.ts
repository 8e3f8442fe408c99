import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { sharedWith } from "./shared-parts.ts";

const pod = (name: string, probes = { period: 2, headers: [{ name: "host" }] }) => ({
  metadata: { name, labels: { app: "etcd" } },
  spec: { containers: [{ name: "etcd", args: ["--name", name], probes }], volumes: [{ name: "data" }] },
});

describe("two objects", () => {
  test("hold together what is equal in them, and keep what is not", () => {
    const [a, b] = [pod("a"), pod("b")];
    assert.equal(sharedWith(b, a), b);
    assert.deepEqual([a, b], [pod("a"), pod("b")]);
    assert.equal(b.metadata.labels, a.metadata.labels);
    assert.equal(b.spec.volumes, a.spec.volumes);
    assert.equal(b.spec.containers[0]?.probes, a.spec.containers[0]?.probes);
    assert.notEqual(b.spec.containers[0]?.args, a.spec.containers[0]?.args);
  });

  test("that are equal are one", () => {
    const a = pod("a");
    assert.equal(sharedWith(pod("a"), a), a);
  });
});

test.each<[what: string, value: unknown, like: unknown]>([
  ["a field more", { a: 1, b: undefined }, { a: 1 }],
  ["a field less", { a: 1 }, { a: 1, b: undefined }],
  ["another field", { a: undefined }, { b: undefined }],
  ["an element more", { list: [1, undefined] }, { list: [1] }],
  ["an element less", { list: [1] }, { list: [1, 2] }],
  ["an order of its own", ["a", "b"], ["b", "a"]],
  ["nothing in the place of something", { a: null }, { a: {} }],
  ["something in the place of nothing", { a: {} }, { a: null }],
  ["a list in the place of a block", { a: [] }, { a: {} }],
  ["a block in the place of a list", { a: {} }, { a: [] }],
  ["a text in the place of a number", { a: "1" }, { a: 1 }],
  ["a field that is called as what every object has", { toString: "a" }, {}],
  ["nothing to compare with", { a: {} }, undefined],
])("what has %s stays as it is", (_, value, like) => {
  const [expected, likeBefore] = structuredClone([value, like]);
  assert.deepEqual(sharedWith(value, like), expected);
  assert.notEqual(value, like);
  assert.deepEqual(like, likeBefore);
});
