import { badRequest } from "../api-error.ts";
import type { JsonObject } from "../kube-object.ts";
import { ProtobufReader } from "./protobuf-reader.ts";
import { type Field, type FieldType, hasType, structOf } from "./type-table.ts";

/** kubectl sends what it makes itself, such as `kubectl create configmap`, in this form and no other. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

const MAGIC = Buffer.from("k8s\0");

/** Reads a body in protobuf: an envelope that names the kind, and the object. */
export function decodeProtobuf(body: Buffer): JsonObject {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw badRequest("the body is no Kubernetes protobuf");
  let [apiVersion, kind] = ["", ""];
  let raw: Buffer = Buffer.alloc(0);
  for (const { number, bytes } of new ProtobufReader(body.subarray(MAGIC.length))) {
    if (number === 1) [apiVersion, kind] = typeMeta(bytes);
    if (number === 2) raw = bytes;
  }
  if (!hasType(kind)) throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return { apiVersion, kind, ...decodeMessage(kind, raw) };
}

function typeMeta(bytes: Buffer): [string, string] {
  let [apiVersion, kind] = ["", ""];
  for (const { number, bytes: text } of new ProtobufReader(bytes)) {
    if (number === 1) apiVersion = text.toString("utf8");
    if (number === 2) kind = text.toString("utf8");
  }
  return [apiVersion, kind];
}

function decodeMessage(typeName: string, bytes: Buffer): JsonObject {
  const object: JsonObject = {};
  const { wire } = structOf(typeName);
  for (const value of new ProtobufReader(bytes)) {
    const known = wire.get(value.number);
    if (!known) continue;
    if (known.kind === "inline") Object.assign(object, decodeMessage(known.type, value.bytes));
    else put(object, known.name, known.field, value);
  }
  return object;
}

interface WireValue {
  readonly bytes: Buffer;
  readonly varint: bigint;
}

function put(object: JsonObject, name: string, field: Field, value: WireValue): void {
  const { type } = field;
  if (type.kind === "list") {
    object[name] = [...((object[name] as unknown[] | undefined) ?? []), decodeValue(type.of, value)];
  } else if (type.kind === "map") {
    const [key, item] = mapEntry(type.of, value.bytes);
    object[name] = { ...(object[name] as JsonObject | undefined), [key]: item };
  } else {
    const decoded = decodeValue(type, value);
    if (decoded !== undefined && (field.keepsZero || !isZero(decoded))) object[name] = decoded;
  }
}

// Go writes fields that are no pointers even when they were not set.
function isZero(value: unknown): boolean {
  return value === "" || value === 0 || value === false;
}

function mapEntry(of: FieldType, bytes: Buffer): [string, unknown] {
  let key = "";
  let item: unknown = "";
  for (const value of new ProtobufReader(bytes)) {
    if (value.number === 1) key = value.bytes.toString("utf8");
    if (value.number === 2) item = decodeValue(of, value);
  }
  return [key, item];
}

function decodeValue(type: FieldType, { bytes, varint }: WireValue): unknown {
  switch (type.kind) {
    case "struct":
      return decodeMessage(type.name, bytes);
    case "string":
      return bytes.toString("utf8");
    case "bytes":
      return bytes.toString("base64");
    case "int":
      return Number(BigInt.asIntN(64, varint));
    case "bool":
      return varint !== 0n;
    case "quantity":
      return quantity(bytes);
    case "time":
    case "microTime":
      return time(bytes, type.kind);
    case "intOrString":
      return intOrString(bytes);
    case "list":
      // In a map it is a message of its own.
      return [...new ProtobufReader(bytes)]
        .filter(({ number }) => number === 1)
        .map((item) => decodeValue(type.of, item));
    case "number":
    case "any":
    case "map":
      return undefined;
  }
}

function quantity(bytes: Buffer): string | undefined {
  for (const { number, bytes: text } of new ProtobufReader(bytes)) if (number === 1) return text.toString("utf8");
  return undefined;
}

function time(bytes: Buffer, kind: "time" | "microTime"): string | undefined {
  let [seconds, nanos] = [0n, 0n];
  for (const { number, varint } of new ProtobufReader(bytes)) {
    if (number === 1) seconds = BigInt.asIntN(64, varint);
    if (number === 2) nanos = varint;
  }
  if (seconds === 0n && nanos === 0n) return undefined;
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return kind === "time" ? `${text}Z` : `${text}.${String(nanos / 1000n).padStart(6, "0")}Z`;
}

function intOrString(bytes: Buffer): string | number {
  let [isText, number, text] = [false, 0, ""];
  for (const value of new ProtobufReader(bytes)) {
    if (value.number === 1) isText = value.varint === 1n;
    if (value.number === 2) number = Number(BigInt.asIntN(64, value.varint));
    if (value.number === 3) text = value.bytes.toString("utf8");
  }
  return isText ? text : number;
}
