import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { KubeObject } from "../kube-object.ts";
import { shapeOfKind } from "./builtin-shape.ts";
import { trackedFields } from "./track-update.ts";

const shape = shapeOfKind("ConfigMap");
const configMap = (data: Record<string, string>, managedFields?: readonly unknown[]): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", uid: "1", ...(managedFields && { managedFields }) },
  data,
});
const by = (manager: string) => ({ manager, operation: "Update", apiVersion: "v1" }) as const;
const [now, later] = ["2024-01-01T00:00:00Z", "2024-01-01T00:00:09Z"];
const created = () =>
  configMap({ a: "1", b: "1" }, trackedFields({ shape, object: configMap({ a: "1", b: "1" }), who: by("one"), now }));
const fields = (entries: unknown) =>
  Object.fromEntries((entries as { manager: string; fieldsV1: object }[]).map((each) => [each.manager, each.fieldsV1]));

describe("an update", () => {
  test("that changes nothing leaves the very list that was there", () => {
    const old = created();
    const object = configMap({ a: "1", b: "1" });
    const tracked = trackedFields({ shape, old, object, who: by("two"), now: later });
    assert.deepEqual(tracked, old.metadata.managedFields);
    const sent = configMap({ a: "1", b: "1" }, old.metadata.managedFields);
    assert.equal(trackedFields({ shape, old, object: sent, who: by("two"), now: later }), old.metadata.managedFields);
  });

  test("takes fields from whoever had them, and only then has a new time", () => {
    const tracked = trackedFields({
      shape,
      old: created(),
      object: configMap({ a: "2", b: "1" }),
      who: by("two"),
      now: later,
    });
    assert.deepEqual(fields(tracked), { one: { "f:data": { ".": {}, "f:b": {} } }, two: { "f:data": { "f:a": {} } } });
    assert.deepEqual(
      (tracked as { time: string }[]).map(({ time }) => time),
      [now, later],
    );
  });

  test("by the manager itself changes the time and not the set", () => {
    const old = created();
    const [entry] = trackedFields({
      shape,
      old,
      object: configMap({ a: "2", b: "1" }),
      who: by("one"),
      now: later,
    }) as [{ time: string; fieldsV1: object }];
    assert.equal(entry.time, later);
    const [before] = old.metadata.managedFields as [{ fieldsV1: object }];
    assert.equal(entry.fieldsV1, before.fieldsV1);
  });

  test("that only removes makes nobody a manager", () => {
    const tracked = trackedFields({ shape, old: created(), object: configMap({ a: "1" }), who: by("two"), now: later });
    assert.deepEqual(fields(tracked), { one: { "f:data": { ".": {}, "f:a": {} } } });
  });

  test("of an object that nobody keeps track of does not begin to", () => {
    const old = configMap({ a: "1" });
    assert.equal(trackedFields({ shape, old, object: configMap({ a: "2" }), who: by("two"), now }), undefined);
  });

  test("through a subresource cannot rewrite the managers", () => {
    const old = created();
    const object = configMap({ a: "1", b: "1" }, [{}]);
    const who = { ...by("two"), subresource: "status" };
    assert.deepEqual(trackedFields({ shape, old, object, who, now }), old.metadata.managedFields);
  });

  test("with items that have no name is no longer kept track of", () => {
    const accounts = shapeOfKind("ServiceAccount");
    const old = { ...created(), kind: "ServiceAccount" };
    const object = { ...old, secrets: [null] };
    assert.equal(trackedFields({ shape: accounts, old, object, who: by("two"), now }), undefined);
  });
});
