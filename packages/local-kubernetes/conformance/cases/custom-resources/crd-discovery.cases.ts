import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import type { ConformanceTarget, KubeObject } from "../../target.ts";

export function crdDiscoveryCases(target: () => ConformanceTarget): void {
  describe("a custom kind in discovery", () => {
    const kind = customKind(target, {
      names: { shortNames: ["wd"], categories: ["all"] },
      version: {
        subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
      },
      schema: { properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } },
    });
    const soon = <Answer>(ask: () => Promise<Answer | undefined>) => until(ask, { what: "discovery to know the kind" });

    test("is listed in its group and version with short names, categories and subresources", async () => {
      const resources = await soon(async () => {
        const { body } = await target().rest<{ resources?: KubeObject[] }>("GET", `/apis/${kind.group}/v1`);
        return body?.resources;
      });
      expect(resources.find(({ name }) => name === "widgets")).toMatchObject({
        kind: "Widget",
        singularName: "widget",
        namespaced: true,
        shortNames: ["wd"],
        categories: ["all"],
        verbs: expect.arrayContaining([
          "create",
          "delete",
          "deletecollection",
          "get",
          "list",
          "patch",
          "update",
          "watch",
        ]),
      });
      expect(resources.map(({ name }) => name)).toEqual(["widgets", "widgets/status", "widgets/scale"]);
      expect(resources[2]).toMatchObject({ kind: "Scale", group: "autoscaling", version: "v1" });
    });

    test("its group is listed among all groups", async () => {
      const group = await soon(async () => {
        const { body } = await target().rest<{ groups: { name: string }[] }>("GET", "/apis");
        return body.groups.find(({ name }) => name === kind.group);
      });
      expect(group).toMatchObject({ preferredVersion: { groupVersion: `${kind.group}/v1`, version: "v1" } });
    });

    test("is part of aggregated discovery", async () => {
      const headers = { accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" };
      const group = await soon(async () => {
        const { body } = await target().rest<{ items: KubeObject[] }>("GET", "/apis", undefined, { headers });
        return body.items.find(({ metadata }) => metadata?.name === kind.group);
      });
      expect(group).toMatchObject({
        versions: [
          {
            version: "v1",
            resources: [
              {
                resource: "widgets",
                responseKind: { group: kind.group, version: "v1", kind: "Widget" },
                scope: "Namespaced",
                shortNames: ["wd"],
                categories: ["all"],
                subresources: [{ subresource: "status" }, { subresource: "scale" }],
              },
            ],
          },
        ],
      });
    });

    test("its schema is published in OpenAPI v3", async () => {
      const schemas = await soon(async () => {
        const { body } = await target().rest<{ components?: { schemas: Record<string, KubeObject> } }>(
          "GET",
          `/openapi/v3/apis/${kind.group}/v1`,
        );
        return body?.components?.schemas;
      });
      const widget = Object.values(schemas).find(
        (schema) => (schema["x-kubernetes-group-version-kind"] as KubeObject[] | undefined)?.[0]?.kind === "Widget",
      );
      expect(widget).toMatchObject({
        type: "object",
        properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
      });
    });
  });
}
