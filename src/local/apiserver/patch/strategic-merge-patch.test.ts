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

  test("puts what is new first, as long as nobody says otherwise", () => {
    assert.deepEqual(merged({ containers: [a] }, { containers: [b] }), { containers: [b, a] });
    const order = { "$setElementOrder/containers": [{ name: "a" }, { name: "b" }] };
    assert.deepEqual(merged({ containers: [a] }, { ...order, containers: [b] }), { containers: [a, b] });
  });

  test("keeps what the order does not name behind the one it followed", () => {
    const c = { name: "c", image: "1" };
    const order = { "$setElementOrder/containers": [{ name: "c" }, { name: "a" }] };
    assert.deepEqual(merged({ containers: [a, b, c] }, order), { containers: [c, a, b] });
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
    assert.throws(() => merged({ containers: [a] }, { containers: [{ image: "2" }] }), { code: 400 });
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
    assert.deepEqual(merged(["a"], { finalizers: ["b"] }), { finalizers: ["a", "b"] });
    assert.deepEqual(merged(["a", "b"], { "$deleteFromPrimitiveList/finalizers": ["a"] }), { finalizers: ["b"] });
  });
});
