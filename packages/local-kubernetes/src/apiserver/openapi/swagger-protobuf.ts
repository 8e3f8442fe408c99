import { isObject, type JsonObject, listIn, objectIn, textIn } from "../kube-object.ts";
import { extensionsOf } from "./swagger.ts";

/** What kubectl asks for, and what it is called in the answer. */
export const SWAGGER_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/**
 * An OpenAPI v2 document in gnostic's protobuf, the only form in which kubectl reads it. Numbers are those of its
 * messages.
 */
export function encodeSwagger(document: JsonObject): Buffer {
  const { title = "", version = "" } = objectIn(document, "info");
  const paths = entries(document.paths).map(([path, item]) => named(2, path, encodePathItem(item)));
  const definitions = entries(document.definitions).map(([name, each]) => named(1, name, encodeSchema(each)));
  return message(
    text(1, document.swagger),
    bytes(2, message(text(1, title), text(2, version))),
    bytes(8, message(...paths)),
    bytes(9, message(...definitions)),
  );
}

const OPERATIONS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, patch: 8 };

function encodePathItem(item: JsonObject): Buffer {
  const operations = entries(item).flatMap(([verb, operation]) => {
    const number = OPERATIONS[verb];
    return number === undefined ? [] : [bytes(number, encodeOperation(operation))];
  });
  return message(...operations);
}

function encodeOperation(operation: JsonObject): Buffer {
  const parameters = listIn(operation, "parameters").map((each) => {
    const query = message(text(2, "query"), text(4, each.name), text(6, each.type));
    return bytes(8, bytes(1, bytes(2, bytes(3, query))));
  });
  const { description, operationId } = operation;
  return message(text(3, description), text(5, operationId), ...parameters, ...encodeExtensions(13, operation));
}

function encodeSchema(schema: JsonObject): Buffer {
  const { properties, items, additionalProperties, required } = schema;
  return message(
    text(1, schema.$ref),
    text(2, schema.format),
    text(4, schema.description),
    ...(Array.isArray(required) ? required.map((name) => text(19, name)) : []),
    isObject(additionalProperties) ? bytes(21, bytes(1, encodeSchema(additionalProperties))) : NONE,
    textIn(schema, "type") === "" ? NONE : bytes(22, text(1, schema.type)),
    isObject(items) ? bytes(23, bytes(1, encodeSchema(items))) : NONE,
    isObject(properties)
      ? bytes(25, message(...entries(properties).map(([name, each]) => named(1, name, encodeSchema(each)))))
      : NONE,
    ...encodeExtensions(31, schema),
  );
}

// Extensions are YAML, and JSON is.
function encodeExtensions(number: number, value: JsonObject): Buffer[] {
  return Object.entries(extensionsOf(value)).map(([name, each]) => named(number, name, text(2, JSON.stringify(each))));
}

function named(number: number, name: string, value: Buffer): Buffer {
  return bytes(number, message(text(1, name), bytes(2, value)));
}

function entries(value: unknown): [string, JsonObject][] {
  return Object.entries(isObject(value) ? value : {}).map(([name, each]) => [name, isObject(each) ? each : {}]);
}

const NONE = Buffer.alloc(0);

function message(...fields: readonly Buffer[]): Buffer {
  return Buffer.concat(fields);
}

function text(number: number, value: unknown): Buffer {
  return typeof value === "string" && value !== "" ? bytes(number, Buffer.from(value, "utf8")) : NONE;
}

const LENGTH_DELIMITED = 2;

function bytes(number: number, value: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + LENGTH_DELIMITED), varint(value.length), value]);
}

function varint(value: number): Buffer {
  const parts: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) parts.push((rest % 128) + 128);
  return Buffer.from([...parts, rest]);
}
