import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { CrdVersion, PrinterColumn } from "./custom-resource-definition.ts";
import { humanDuration } from "./human-duration.ts";
import { valuesAt } from "./json-path.ts";
import { cellFor, printerColumns, tableColumns } from "./table-columns.ts";

const now = new Date("2024-01-01T12:00:00Z");
const object = {
  metadata: { name: "tom", creationTimestamp: "2024-01-01T11:58:30Z", annotations: { "a.b/c": "noted" } },
  spec: { size: 3, ratio: 0.5, "odd.name": "x", on: true, tags: ["a", "b"], nested: { a: 1 } },
  status: {
    conditions: [
      { type: "Available", status: "True", count: 1 },
      { type: "Ready", status: "False", count: 2 },
    ],
  },
};

describe("printer columns", () => {
  test.each<[string, readonly unknown[] | undefined]>([
    [".spec.size", [3]],
    [".spec['odd.name']", ["x"]],
    [".metadata.annotations.a\\.b/c", ["noted"]],
    [".spec.tags[0]", ["a"]],
    [".spec.tags[-1]", ["b"]],
    [".spec.tags[*]", ["a", "b"]],
    ['.status.conditions[?(@.type=="Ready")].status', ["False"]],
    [".status.conditions[?(@.type=='Available')].status", ["True"]],
    [".status.conditions[?(@.type!='Ready')].type", ["Available"]],
    [".status.conditions[?(@.count>1)].type", ["Ready"]],
    [".status.conditions[?(@.missing)].type", []],
    [".spec.missing.deeper", []],
    [".spec.tags[9]", []],
    ["spec.size", undefined],
    [".spec[", undefined],
  ])("the path %s finds %j", (path, found) => {
    assert.deepEqual(valuesAt(path, object), found);
  });

  test.each<[string, string, unknown]>([
    ["integer", ".spec.size", 3],
    ["integer", ".spec.ratio", 0],
    ["integer", ".spec.on", null],
    ["number", ".spec.ratio", 0.5],
    ["boolean", ".spec.on", true],
    ["boolean", ".spec.size", null],
    ["string", ".spec.size", "3"],
    ["string", ".spec.tags", '["a","b"]'],
    ["string", ".spec.nested", '{"a":1}'],
    ["string", ".spec.missing", null],
    ["date", ".metadata.creationTimestamp", "90s"],
    ["date", ".metadata.name", "<invalid>"],
  ])("a column of type %s shows %s as %j", (type, jsonPath, cell) => {
    assert.equal(cellFor({ name: "X", type, jsonPath }, object, now), cell);
  });

  test("a version without columns shows the age", () => {
    assert.deepEqual(
      tableColumns(aVersion()).map(({ name, type, format }) => [name, type, format]),
      [
        ["Name", "string", "name"],
        ["Age", "date", ""],
      ],
    );
    assert.deepEqual(cellsOf(aVersion()), ["90s"]);
  });

  test("a version with columns shows these only", () => {
    const version = aVersion([{ name: "Size", type: "integer", jsonPath: ".spec.size", priority: 1 }]);
    assert.deepEqual(tableColumns(version)[1], {
      name: "Size",
      type: "integer",
      format: "",
      description: "Custom resource definition column (in JSONPath format): .spec.size",
      priority: 1,
    });
    assert.deepEqual(cellsOf(version), [3]);
  });

  const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
  test.each([
    [-500, "0s"],
    [-5000, "<invalid>"],
    [0, "0s"],
    [119_000, "119s"],
    [2 * minute, "2m"],
    [3 * minute + 20_000, "3m20s"],
    [10 * minute + 20_000, "10m"],
    [3 * hour + 5 * minute, "3h5m"],
    [47 * hour, "47h"],
    [2 * day + 3 * hour, "2d3h"],
    [9 * day, "9d"],
    [2 * 365 * day + 40 * day, "2y40d"],
    [9 * 365 * day, "9y"],
  ])("an age of %d ms is shown as %s", (milliseconds, shown) => {
    assert.equal(humanDuration(milliseconds), shown);
  });
});

function cellsOf(version: CrdVersion): readonly unknown[] {
  return printerColumns(version).map((column) => cellFor(column, object, now));
}

function aVersion(additionalPrinterColumns: readonly PrinterColumn[] = []): CrdVersion {
  return { name: "v1", served: true, storage: true, additionalPrinterColumns };
}
