import { type Cause, forbidden, invalid, tooLong } from "../../crd/cause.ts";
import { type KubeObject, objectIn, sameJson } from "../../kube-object.ts";
import type { KindRules } from "../resource.ts";
import { fill } from "./fill.ts";

export const configMapRules: KindRules = {
  validate: (configMap, old) => [
    ...["data", "binaryData"].flatMap((field) => keyCauses(configMap, field)),
    ...sizeCauses("", configMap.data, configMap.binaryData),
    ...(old ? immutableCauses(configMap, old, ["data", "binaryData"]) : []),
  ],
};

export const secretRules: KindRules = {
  applyDefaults(secret) {
    const texts = Object.entries(objectIn(secret, "stringData"));
    if (texts.length > 0) {
      const encoded = texts.map(([key, text]) => [key, Buffer.from(String(text), "utf8").toString("base64")]);
      secret.data = { ...objectIn(secret, "data"), ...Object.fromEntries(encoded) };
    }
    // It is write-only: no Secret is ever read as plain text.
    delete secret.stringData;
    fill(secret, { type: "Opaque" });
  },

  validate: (secret, old) => [
    ...keyCauses(secret, "data"),
    ...sizeCauses("data", secret.data),
    ...(old && secret.type !== old.type ? [invalid("type", secret.type, "field is immutable")] : []),
    ...(old ? immutableCauses(secret, old, ["data"]) : []),
  ],
};

const MAX_SIZE = 1024 * 1024;

function sizeCauses(field: string, ...maps: readonly unknown[]): Cause[] {
  const values = maps.flatMap((map) => Object.values(map ?? {}));
  const size = values.reduce((sum: number, value) => sum + Buffer.byteLength(String(value)), 0);
  return size > MAX_SIZE ? [tooLong(field, MAX_SIZE)] : [];
}

const KEY = "[-._a-zA-Z0-9]+";

function keyCauses(object: KubeObject, field: string): Cause[] {
  return Object.keys(objectIn(object, field))
    .filter((key) => !new RegExp(`^${KEY}$`).test(key))
    .map((key) =>
      invalid(
        `${field}[${key}]`,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  " +
          `or 'key-name', regex used for validation is '${KEY}')`,
      ),
    );
}

function immutableCauses(object: KubeObject, old: KubeObject, fields: readonly string[]): Cause[] {
  if (old.immutable !== true) return [];
  return [
    ...(object.immutable === true ? [] : [forbidden("immutable", "field is immutable when `immutable` is set")]),
    ...fields
      .filter((field) => !sameJson(object[field], old[field]))
      .map((field) => forbidden(field, "field is immutable when `immutable` is set")),
  ];
}
