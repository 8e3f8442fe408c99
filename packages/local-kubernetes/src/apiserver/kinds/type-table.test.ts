import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { BUILTIN_RESOURCES } from "./builtin-kinds.ts";
import { decodeAs } from "./decode.ts";
import { type FieldType, structOf } from "./type-table.ts";

describe("the table of types", () => {
  test("has every type that a built-in kind leads to", () => {
    const seen = new Set<string>();
    const visit = (type: FieldType): void => {
      if (type.kind === "list" || type.kind === "map") visit(type.of);
      if (type.kind !== "struct" || seen.has(type.name)) return;
      seen.add(type.name);
      for (const field of structOf(type.name).fields.values()) visit(field.type);
    };
    for (const { codec, kind } of BUILTIN_RESOURCES) visit({ kind: "struct", name: codec.typeName ?? kind });
    assert.ok(seen.size > 200, `${seen.size} types`);
  });

  test("flattens what lies in a message of its own in protobuf only", () => {
    assert.ok(structOf("Volume").fields.has("emptyDir"));
    assert.ok(structOf("ConfigMapKeySelector").fields.has("name"));
    assert.deepEqual(structOf("Volume").wire.get(2), { kind: "inline", type: "VolumeSource" });
  });

  test("numbers fields as they stand, and goes on from where @ says", () => {
    const { wire } = structOf("OwnerReference");
    const nameAt = (number: number) => {
      const field = wire.get(number);
      return field?.kind === "field" ? field.name : undefined;
    };
    assert.deepEqual([1, 2, 3, 4, 5].map(nameAt), ["kind", undefined, "name", "uid", "apiVersion"]);
  });
});

describe("reading an object by the table", () => {
  const read = (body: object) => decodeAs("Pod", body as Record<string, unknown>, "v1");

  test("drops fields that the type does not have, and names them", () => {
    const { object, unknownFields } = read({ extra: 1, spec: { containers: [{ name: "a", imag: "b" }] } });
    assert.deepEqual(object, { spec: { containers: [{ name: "a" }] } });
    assert.deepEqual(unknownFields, ['unknown field "extra"', 'unknown field "spec.containers[0].imag"']);
  });

  test("takes null, empty lists and maps, and zero values that say nothing, as not there", () => {
    const spec = { hostNetwork: false, hostname: "", volumes: [], nodeSelector: {}, affinity: null };
    assert.deepEqual(read({ spec }).object, { spec: {} });
  });

  test("keeps zero values that say something", () => {
    const spec = { terminationGracePeriodSeconds: 0, automountServiceAccountToken: false };
    assert.deepEqual(read({ spec }).object, { spec });
  });

  test("writes quantities in one way", () => {
    const resources = { limits: { cpu: 0.5, memory: "1024Mi" } };
    const { object } = read({ spec: { containers: [{ name: "a", resources }] } });
    assert.deepEqual(object, {
      spec: { containers: [{ name: "a", resources: { limits: { cpu: "500m", memory: "1Gi" } } }] },
    });
  });

  test.each([
    [
      { spec: { hostname: 1 } },
      "json: cannot unmarshal number into Go struct field PodSpec.spec.hostname of type string",
    ],
    [{ spec: [] }, "json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec"],
    [
      { spec: { priority: 1.5 } },
      "json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32",
    ],
  ])("refuses %j", (body, why) => {
    assert.throws(() => read(body), { code: 400, message: `Pod in version "v1" cannot be handled as a Pod: ${why}` });
  });
});
