import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { capUpdaters, type Managed, managerId, readManagers, writeManagers } from "./managers.ts";

const entry = (manager: string, more: object = {}) => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time: "2024-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:a": {} },
  ...more,
});

describe("managed fields", () => {
  test("that are read and written again are the same objects", () => {
    const entries = [entry("a", { operation: "Apply" }), entry("b"), entry("b", { subresource: "status" })];
    const written = writeManagers(readManagers(entries) ?? new Map());
    assert.deepEqual(written, entries);
    assert.equal(written?.[0], entries[0]);
  });

  test("are those of appliers first, then the oldest, then by name", () => {
    const late = { time: "2024-01-02T00:00:00Z" };
    const entries = [entry("d", late), entry("c"), entry("b"), entry("z", { operation: "Apply" })];
    const names = writeManagers(readManagers(entries) ?? new Map())?.map(({ manager }) => manager);
    assert.deepEqual(names, ["z", "b", "c", "d"]);
  });

  test("that no server wrote are not read at all", () => {
    for (const odd of [{ operation: "Steal" }, { apiVersion: "" }, { fieldsType: "FieldsV2" }]) {
      assert.equal(readManagers([entry("a"), entry("b", odd)]), undefined);
    }
  });

  test("that are empty are gone", () => {
    assert.equal(writeManagers(readManagers([entry("a", { fieldsV1: {} })]) ?? new Map()), undefined);
  });

  test("are one applier's in whatever version", () => {
    const [one, other] = [entry("a", { operation: "Apply" }), entry("a", { operation: "Apply", apiVersion: "v2" })];
    assert.equal(managerId(one as never), managerId(other as never));
    assert.notEqual(managerId(entry("a") as never), managerId(entry("a", { apiVersion: "v2" }) as never));
  });

  test("of the oldest updaters are put together, version by version", () => {
    const managers = new Map<string, Managed>();
    for (let second = 10; second < 23; second++) {
      const apiVersion = second === 11 ? "v2" : "v1";
      const managed = { manager: `m${second}`, operation: "Update", apiVersion } as const;
      managers.set(managerId(managed), {
        ...managed,
        time: `2024-01-01T00:00:${second}Z`,
        fields: { [`f:${second}`]: {} },
      });
    }
    capUpdaters(managers);
    const ancient = [...managers.values()].find(({ manager }) => manager === "ancient-changes");
    assert.equal(managers.size, 10);
    assert.deepEqual(ancient?.fields, { "f:10": {}, "f:12": {}, "f:13": {}, "f:14": {} });
    assert.equal(ancient?.time, "2024-01-01T00:00:14Z");
  });
});
