import assert from "node:assert/strict";
import { test } from "vitest";
import { decodeStored, encodeStored, spliced, splicedItem } from "./stored-json.ts";

const object = {
  kind: "ConfigMap",
  data: { text: '"metadata":{' },
  metadata: { name: "a", resourceVersion: "3", selfLink: "/a" },
  apiVersion: "v1",
};
const entry = { key: "/registry/core/configmaps/default/a", value: encodeStored(object), revision: 7n };
const gvk = { group: "", version: "v1", kind: "ConfigMap" };

test("what is stored has neither resourceVersion nor selfLink", () => {
  assert.deepEqual(JSON.parse(entry.value.toString()), {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a" },
    data: object.data,
  });
});

test("a reader gets the revision as resourceVersion, and the version it asked for, without the object being parsed", () => {
  const seen = JSON.parse(spliced(entry, { group: "example.com", version: "v2", kind: "Thing" }).toString());
  assert.deepEqual(seen, {
    kind: "Thing",
    apiVersion: "example.com/v2",
    metadata: { resourceVersion: "7", name: "a" },
    data: object.data,
  });
  assert.equal(JSON.parse(spliced(entry, gvk, 9n).toString()).metadata.resourceVersion, "9");
});

test("an item of a list tells neither kind nor version", () => {
  const item = JSON.parse(Buffer.concat([...splicedItem(entry)]).toString());
  assert.deepEqual(Object.keys(item), ["metadata", "data"]);
});

test("keys that objects inherit are stored like any other", () => {
  const odd = JSON.parse(
    '{"apiVersion":"v1","kind":"Odd","metadata":{"name":"a"},"constructor":1,"__proto__":{"a":2}}',
  );
  assert.equal(encodeStored(odd).toString(), JSON.stringify(odd));
});

test("parsed or not, an object is the same", () => {
  assert.deepEqual(decodeStored(entry, gvk), JSON.parse(spliced(entry, gvk).toString()));
});
