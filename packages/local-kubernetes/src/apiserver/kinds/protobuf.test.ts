import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { decodeProtobuf } from "./protobuf.ts";

/** A field that is text, bytes or a message. */
function part(number: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function whole(number: number, value: number): Buffer {
  return Buffer.concat([varint(number << 3), varint(value)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = BigInt.asUintN(64, BigInt(value));
  while (left > 0x7fn) {
    bytes.push(Number(left & 0x7fn) | 0x80);
    left >>= 7n;
  }
  return Buffer.from([...bytes, Number(left)]);
}

function envelope(apiVersion: string, kind: string, ...object: readonly Buffer[]): Buffer {
  const type = Buffer.concat([part(1, apiVersion), part(2, kind)]);
  return Buffer.concat([Buffer.from("k8s\0"), part(1, type), part(2, Buffer.concat(object))]);
}

describe("a body in protobuf", () => {
  test("is the object with its kind, without what Go writes for unset fields", () => {
    const metadata = Buffer.concat([
      part(1, "a"),
      part(2, ""),
      part(3, "default"),
      whole(7, 0),
      part(8, Buffer.alloc(0)),
    ]);
    const entry = Buffer.concat([part(1, "key"), part(2, "value")]);
    assert.deepEqual(decodeProtobuf(envelope("v1", "ConfigMap", part(1, metadata), part(2, entry))), {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "default" },
      data: { key: "value" },
    });
  });

  test("keeps a zero that was set, negative numbers, bytes, and messages that are flat in JSON", () => {
    const spec = Buffer.concat([whole(1, 0)]);
    assert.deepEqual(decodeProtobuf(envelope("apps/v1", "Deployment", part(2, spec))).spec, { replicas: 0 });
    assert.equal(decodeProtobuf(envelope("scheduling.k8s.io/v1", "PriorityClass", whole(2, -5))).value, -5);
    const data = Buffer.concat([part(1, "k"), part(2, Buffer.from([0, 255]))]);
    assert.deepEqual(decodeProtobuf(envelope("v1", "Secret", part(2, data))).data, { k: "AP8=" });
    const volume = Buffer.concat([part(1, "v"), part(2, part(2, Buffer.alloc(0)))]);
    assert.deepEqual(decodeProtobuf(envelope("v1", "Pod", part(2, part(1, volume)))).spec, {
      volumes: [{ name: "v", emptyDir: {} }],
    });
  });

  test("has times, quantities and numbers that may be text", () => {
    const time = Buffer.concat([whole(1, 1_700_000_000), whole(2, 5000)]);
    const lease = decodeProtobuf(envelope("coordination.k8s.io/v1", "Lease", part(2, part(4, time))));
    assert.deepEqual(lease.spec, { renewTime: "2023-11-14T22:13:20.000005Z" });
    const percent = Buffer.concat([whole(1, 1), whole(2, 0), part(3, "25%")]);
    const budget = decodeProtobuf(envelope("policy/v1", "PodDisruptionBudget", part(2, part(1, percent))));
    assert.deepEqual(budget.spec, { minAvailable: "25%" });
  });

  test.each([
    ["what is something else", Buffer.from("{}")],
    ["an unknown kind", envelope("v1", "Widget")],
    ["what was cut off", envelope("v1", "ConfigMap", part(1, "abc")).subarray(0, -2)],
  ])("%s is refused", (_, body) => {
    assert.throws(() => decodeProtobuf(body), { code: 400 });
  });
});
