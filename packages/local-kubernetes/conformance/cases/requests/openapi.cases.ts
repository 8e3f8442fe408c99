import { describe, expect, test } from "vitest";
import { expectCode } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
  readonly [field: string]: unknown;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export function openApiCases(target: () => ConformanceTarget): void {
  const documentOf = async (group: string) => {
    const index = await target().rest<{ paths: Record<string, { serverRelativeURL: string }> }>("GET", "/openapi/v3");
    const { serverRelativeURL = "" } = expectCode(200, index).paths[group] ?? {};
    return expectCode(200, await target().rest<Document>("GET", serverRelativeURL));
  };
  const schemaOf = ({ components }: Document, kind: string) =>
    Object.values(components.schemas).find((schema) =>
      schema["x-kubernetes-group-version-kind"]?.some((gvk) => gvk.kind === kind),
    );

  describe("OpenAPI v3", () => {
    test("the index leads to a document of each group and version", async () => {
      const { body } = await target().rest<{ paths: Record<string, { serverRelativeURL: string }> }>(
        "GET",
        "/openapi/v3",
      );
      for (const path of ["api/v1", "apis/apps/v1", "apis/policy/v1", "apis/apiextensions.k8s.io/v1"]) {
        expect(body.paths[path]?.serverRelativeURL).toMatch(new RegExp(`^/openapi/v3/${path}\\?hash=`));
      }
    });

    test("a document marks the schema of each kind with its group, version and kind", async () => {
      const document = await documentOf("apis/apps/v1");
      expect(document.openapi).toBe("3.0.0");
      const gvk = schemaOf(document, "Deployment")?.["x-kubernetes-group-version-kind"];
      expect(gvk).toEqual([{ group: "apps", version: "v1", kind: "Deployment" }]);
    });

    // kubectl asks this before it validates: without it it falls back to checks of its own.
    test("patching a pod is documented with the parameter fieldValidation", async () => {
      const { paths } = await documentOf("api/v1");
      const { patch } = paths["/api/v1/namespaces/{namespace}/pods/{name}"] ?? {};
      expect(patch).toMatchObject({
        "x-kubernetes-group-version-kind": { group: "", version: "v1", kind: "Pod" },
        parameters: expect.arrayContaining([expect.objectContaining({ name: "fieldValidation" })]),
      });
    });

    test("the schema of a pod names its top-level fields", async () => {
      const pod = schemaOf(await documentOf("api/v1"), "Pod");
      expect(Object.keys(pod?.properties ?? {})).toEqual(
        expect.arrayContaining(["apiVersion", "kind", "metadata", "spec", "status"]),
      );
    });
  });
}
