import { describe, expect, test } from "vitest";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

interface Table extends KubeObject {
  readonly columnDefinitions: readonly { name: string; type: string; format: string; priority: number }[];
  readonly rows: readonly { cells: readonly unknown[]; object: KubeObject | null }[];
}

// What kubectl get sends.
const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };

export function tableCases(target: () => ConformanceTarget): void {
  describe("tables", () => {
    const at = scopeOf(target);
    const table = async (path: string) => expectCode(200, await at().rest<Table>("GET", path, undefined, { headers }));
    const columns = (body: Table, priority = 0) =>
      body.columnDefinitions.filter((column) => column.priority <= priority).map(({ name }) => name);

    test("a list of pods has kubectl's columns", async () => {
      const spec = { schedulerName: "none", containers: [{ name: "a", image: "a" }] };
      await at().create("pods", { metadata: { name: "p" }, spec });
      const body = await table(at().path("pods"));
      expect(body).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
      expect(columns(body)).toEqual(["Name", "Ready", "Status", "Restarts", "Age"]);
      expect(columns(body, 1)).toEqual(expect.arrayContaining(["IP", "Node"]));
      expect(body.rows[0]?.cells.slice(0, 4)).toEqual(["p", "0/1", "Pending", "0"]);
    });

    test("a row carries the metadata of its object", async () => {
      await at().create("configmaps", { metadata: { name: "row", labels: { app: "a" } }, data: { a: "1" } });
      const body = await table(`${at().path("configmaps")}?fieldSelector=metadata.name%3Drow`);
      expect(body.rows[0]?.object).toMatchObject({
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: { name: "row", namespace: at().namespace, labels: { app: "a" } },
      });
      expect(body.rows[0]?.object?.data).toBeUndefined();
    });

    test("a single ConfigMap is a table of one row that counts its keys", async () => {
      await at().create("configmaps", { metadata: { name: "single" }, data: { a: "1", b: "2" } });
      const body = await table(at().path("configmaps", "single"));
      expect(columns(body)).toEqual(["Name", "Data", "Age"]);
      expect(body.rows.map(({ cells }) => cells.slice(0, 2))).toEqual([["single", 2]]);
    });

    test("includeObject=None leaves the objects out", async () => {
      const body = await table(`${at().path("pods")}?includeObject=None`);
      expect(body.rows.every(({ object }) => object === null)).toBe(true);
    });

    test.each([
      ["services", ["Name", "Type", "Cluster-IP", "External-IP", "Port(s)", "Age"]],
      ["secrets", ["Name", "Type", "Data", "Age"]],
      ["events", ["Last Seen", "Type", "Reason", "Object", "Message"]],
      [
        "persistentvolumeclaims",
        ["Name", "Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass", "Age"],
      ],
      ["policy/v1/poddisruptionbudgets", ["Name", "Min Available", "Max Unavailable", "Allowed Disruptions", "Age"]],
      ["apps/v1/deployments", ["Name", "Ready", "Up-to-date", "Available", "Age"]],
      ["coordination.k8s.io/v1/leases", ["Name", "Holder", "Age"]],
    ])("%s have the columns %j", async (resource, names) => {
      expect(columns(await table(at().path(resource)))).toEqual(names);
    });

    test.each([
      ["nodes", ["Name", "Status", "Roles", "Age", "Version"]],
      ["namespaces", ["Name", "Status", "Age"]],
    ])("%s have the columns %j", async (resource, names) => {
      expect(columns(await table(`/api/v1/${resource}`))).toEqual(names);
    });

    test("an Accept header of JSON alone is answered with the objects", async () => {
      const { headers, body } = await at().rest("GET", at().path("pods"));
      expect(headers["content-type"]).toBe("application/json");
      expect(body.kind).toBe("PodList");
    });

    test("the metadata alone can be asked for", async () => {
      const accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";
      const { body } = await at().rest("GET", at().path("pods"), undefined, { headers: { accept } });
      expect(body).toMatchObject({ kind: "PartialObjectMetadataList", apiVersion: "meta.k8s.io/v1" });
    });
  });
}
