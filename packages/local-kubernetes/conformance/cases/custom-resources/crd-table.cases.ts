import { describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

interface Table {
  readonly columnDefinitions: readonly { name: string; type: string; format: string; priority: number }[];
  readonly rows: readonly { cells: readonly unknown[] }[];
}

const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
const preserved = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export function crdTableCases(target: () => ConformanceTarget): void {
  describe("tables of custom resources", () => {
    const at = scopeOf(target);
    const plain = customKind(target);
    const kind = customKind(target, {
      schema: { properties: { spec: preserved, status: preserved } },
      version: {
        additionalPrinterColumns: [
          { name: "Size", type: "integer", jsonPath: ".spec.size" },
          { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: "Paused", type: "boolean", jsonPath: ".spec.paused" },
          { name: "Image", type: "string", jsonPath: ".spec.image", priority: 1 },
          { name: "Created", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
      },
    });
    const table = async (path: string) => expectCode(200, await at().rest<Table>("GET", path, undefined, { headers }));

    test("without columns of their own show name and age", async () => {
      await at().create(plain.resource, plain.widget("plain"));
      const { columnDefinitions, rows } = await table(at().path(plain.resource));
      expect(columnDefinitions.map(({ name, type }) => [name, type])).toEqual([
        ["Name", "string"],
        ["Age", "date"],
      ]);
      expect(rows[0]?.cells).toEqual(["plain", expect.any(String)]);
    });

    test("show the columns that the CRD asks for, with their type and priority", async () => {
      const { columnDefinitions } = await table(at().path(kind.resource));
      expect(columnDefinitions.map(({ name, type, priority }) => [name, type, priority])).toEqual([
        ["Name", "string", 0],
        ["Size", "integer", 0],
        ["Ready", "string", 0],
        ["Paused", "boolean", 0],
        ["Image", "string", 1],
        ["Created", "date", 0],
      ]);
    });

    test("show values, and nothing where there is none", async () => {
      const conditions = [
        { type: "Available", status: "False" },
        { type: "Ready", status: "True" },
      ];
      const full = { spec: { size: 3, paused: false, image: "etcd" }, status: { conditions } };
      await at().create(kind.resource, kind.widget("full", full));
      await at().create(kind.resource, kind.widget("empty"));
      const { rows } = await table(at().path(kind.resource));
      expect(rows.map(({ cells }) => cells)).toEqual([
        ["empty", null, null, null, null, expect.any(String)],
        ["full", 3, "True", false, "etcd", expect.any(String)],
      ]);
    });
  });
}
