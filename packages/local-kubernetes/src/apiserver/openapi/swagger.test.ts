import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { ProtobufReader } from "../kinds/protobuf-reader.ts";
import { swaggerOf } from "./swagger.ts";
import { encodeSwagger } from "./swagger-protobuf.ts";

const reference = { $ref: "#/components/schemas/Meta" };
const gvk = { group: "", version: "v1", kind: "Thing" };
const swagger = swaggerOf(
  [
    {
      paths: {
        "/api/v1/things/{name}": {
          parameters: [{ name: "name", in: "path" }],
          patch: {
            parameters: [{ name: "fieldValidation", in: "query", schema: { type: "string" } }],
            requestBody: {},
            "x-kubernetes-group-version-kind": gvk,
          },
        },
      },
      components: {
        schemas: {
          Meta: { type: "object", properties: { port: { oneOf: [{ type: "integer" }], format: "int-or-string" } } },
          Thing: {
            type: "object",
            properties: { metadata: { allOf: [reference] }, items: { type: "array", items: reference } },
            "x-kubernetes-group-version-kind": [gvk],
          },
        },
      },
    },
  ],
  "v1",
);

describe("OpenAPI v2", () => {
  test("has the types of v3, with references in the place of choices", () => {
    const $ref = "#/definitions/Meta";
    assert.deepEqual(swagger.definitions, {
      Meta: { type: "object", properties: { port: { type: "string", format: "int-or-string" } } },
      Thing: {
        type: "object",
        properties: { metadata: { $ref }, items: { type: "array", items: { $ref } } },
        "x-kubernetes-group-version-kind": [gvk],
      },
    });
  });

  test("has the operations and what may be asked of them", () => {
    const { patch } =
      (swagger.paths as Record<string, { patch: { parameters: object[] } }>)["/api/v1/things/{name}"] ?? {};
    assert.deepEqual(patch?.parameters, [{ name: "fieldValidation", in: "query", type: "string", uniqueItems: true }]);
  });

  test("is in protobuf a list of named schemas", () => {
    const fields = (bytes: Buffer) => [...new ProtobufReader(bytes)];
    const definitions = fields(encodeSwagger(swagger)).find(({ number }) => number === 9);
    const names = fields(definitions?.bytes ?? Buffer.alloc(0)).map(({ bytes }) => fields(bytes)[0]?.bytes.toString());
    assert.deepEqual(names, ["Meta", "Thing"]);
  });
});
