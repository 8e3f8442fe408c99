import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { strategicMergePatch } from "./strategic-merge-patch.ts";

const pod = (spec: object) => ({ metadata: { name: "a" }, spec });

describe("a strategic merge patch of a pod", () => {
  const merged = (before: object, patch: object) => strategicMergePatch(pod(before), { spec: patch }, "Pod").spec;
  const [a, b] = [
    { name: "a", image: "1" },
    { name: "b", image: "1" },
  ];

  test("merges containers by name and leaves the others", () => {
    const containers = [{ name: "b", image: "2" }];
    assert.deepEqual(merged({ containers: [a, b] }, { containers }), { containers: [a, { name: "b", image: "2" }] });
  });

  test("puts what is new first, unless the patch sets an order", () => {
    assert.deepEqual(merged({ containers: [a] }, { containers: [b] }), { containers: [b, a] });
    const order = { "$setElementOrder/containers": [{ name: "a" }, { name: "b" }] };
    assert.deepEqual(merged({ containers: [a] }, { ...order, containers: [b] }), { containers: [a, b] });
  });

  test("keeps what the order does not name before those that it stood before", () => {
    const c = { name: "c", image: "1" };
    const order = { "$setElementOrder/containers": [{ name: "c" }, { name: "a" }] };
    assert.deepEqual(merged({ containers: [a, b, c] }, order), { containers: [b, c, a] });
  });

  test("removes with $patch: delete, and replaces with $patch: replace", () => {
    assert.deepEqual(merged({ containers: [a, b] }, { containers: [{ $patch: "delete", name: "a" }] }), {
      containers: [b],
    });
    assert.deepEqual(merged({ containers: [a] }, { containers: [{ $patch: "replace" }, b] }), { containers: [b] });
    const labels = { nodeSelector: { $patch: "replace", zone: "b" } };
    assert.deepEqual(merged({ nodeSelector: { disk: "ssd" } }, labels), { nodeSelector: { zone: "b" } });
  });

  test("reaches into containers", () => {
    const env = [
      { name: "A", value: "1" },
      { name: "B", value: "2" },
    ];
    const change = [{ name: "B", value: "3" }];
    assert.deepEqual(merged({ containers: [{ ...a, env }] }, { containers: [{ name: "a", env: change }] }), {
      containers: [
        {
          ...a,
          env: [
            { name: "A", value: "1" },
            { name: "B", value: "3" },
          ],
        },
      ],
    });
  });

  test("replaces lists that have no key", () => {
    const command = { containers: [{ name: "a", command: ["etcd"] }] };
    assert.deepEqual(merged({ containers: [{ ...a, command: ["sh", "-c"] }] }, command), {
      containers: [{ ...a, command: ["etcd"] }],
    });
  });

  test("changes the kind of a volume with $retainKeys", () => {
    const change = { name: "data", $retainKeys: ["name", "configMap"], configMap: { name: "c" } };
    assert.deepEqual(merged({ volumes: [{ name: "data", emptyDir: {} }] }, { volumes: [change] }), {
      volumes: [{ name: "data", configMap: { name: "c" } }],
    });
  });

  test("refuses an item without its key", () => {
    const message = "map: map[image:2] does not contain declared merge key: name";
    assert.throws(() => merged({ containers: [a] }, { containers: [{ image: "2" }] }), { code: 500, message });
  });

  test("puts items in the order of the patch", () => {
    const containers = [
      { name: "b", image: "2" },
      { name: "a", image: "2" },
    ];
    assert.deepEqual(merged({ containers: [a, b] }, { containers }), { containers });
  });

  test.each([
    [{ $setElementOrder: [] }, 400, "invalid patch format of setElementOrder list"],
    [{ $deleteFromPrimitiveList: [] }, 400, "invalid patch format of primitive list"],
    [{ $retainKeys: ["a"], hostNetwork: true }, 400, "invalid patch format of retainKeys"],
    [{ $patch: "odd" }, 500, "unknown patch type: odd in map: map[$patch:odd]"],
    [{ "$setElementOrder/odd": [] }, 500, 'unable to find api field in struct PodSpec for the json field "odd"'],
    [{ containers: [{ name: "a", $patch: "merge" }] }, 500, "merging lists cannot yet be specified in the patch"],
    [{ "$setElementOrder/containers": "x" }, 500, "expected a []interface {}, but received a string"],
  ])("refuses %j", (patch, code, message) => {
    assert.throws(() => merged({ containers: [a, b] }, patch), { code, message });
  });

  test("refuses a patch that says two things about the order", () => {
    const patch = { containers: [b, a], "$setElementOrder/containers": [{ name: "a" }, { name: "b" }] };
    assert.throws(() => merged({ containers: [a, b] }, patch), { code: 500, message: /^The order in patch list:/ });
  });

  test("leaves the object it is given as it is", () => {
    const before = { containers: [a, b], nodeSelector: { disk: "ssd" } };
    const copy = structuredClone(before);
    merged(before, { containers: [{ name: "a", image: "2" }], nodeSelector: null });
    assert.deepEqual(before, copy);
  });
});

describe("a strategic merge patch of metadata", () => {
  const merged = (finalizers: string[], patch: object) =>
    strategicMergePatch({ metadata: { finalizers } }, { metadata: patch }, "ConfigMap").metadata as object;

  test("unites finalizers, and removes those named in $deleteFromPrimitiveList", () => {
    assert.deepEqual(merged(["a"], { finalizers: ["b"] }), { finalizers: ["b", "a"] });
    assert.deepEqual(merged(["a", "b"], { "$deleteFromPrimitiveList/finalizers": ["a"] }), { finalizers: ["b"] });
  });
});
