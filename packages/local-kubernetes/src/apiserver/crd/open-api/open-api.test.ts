import assert from "node:assert/strict";
import { customResourceDefinition } from "@etcd-operator/operator/api/crd/custom-resource-definition.ts";
import { GROUP, VERSION } from "@etcd-operator/operator/api/group.ts";
import { kinds } from "@etcd-operator/operator/api/kinds.ts";
import { describe, test } from "vitest";
import type { CustomResourceDefinition } from "../custom-resource-definition.ts";
import { openApiFor } from "./open-api.ts";

interface Document {
  readonly paths: Record<string, Record<string, { operationId?: string; parameters?: { name: string }[] }>>;
  readonly components: { readonly schemas: Record<string, Record<string, unknown>> };
}

const crds = Object.values(kinds).map((kind) => customResourceDefinition(kind) as unknown as CustomResourceDefinition);
const document = JSON.parse(JSON.stringify(openApiFor(crds, GROUP, VERSION))) as Document;
const base = `/apis/${GROUP}/${VERSION}`;

describe("the OpenAPI document of our group", () => {
  test("has the paths that a real API server has", () => {
    const each = (plural: string) => `${base}/namespaces/{namespace}/${plural}`;
    assert.deepEqual(Object.keys(document.paths), [
      ...["etcdbackups", "etcdclusters", "etcdrestores"].map((plural) => `${base}/${plural}`),
      ...["", "/{name}", "/{name}/status"].map((rest) => each("etcdbackups") + rest),
      ...["", "/{name}", "/{name}/scale", "/{name}/status"].map((rest) => each("etcdclusters") + rest),
      ...["", "/{name}", "/{name}/status"].map((rest) => each("etcdrestores") + rest),
    ]);
  });

  test("lets kubectl see that the server validates fields itself", () => {
    const item = document.paths[`${base}/namespaces/{namespace}/etcdclusters/{name}`];
    assert.deepEqual(
      item?.patch?.parameters?.map(({ name }) => name),
      ["dryRun", "fieldManager", "fieldValidation"],
    );
    assert.equal(item?.patch?.operationId, "patchEtcdDatabaseCoreosComV1beta2NamespacedEtcdCluster");
    assert.deepEqual(Object.keys(item ?? {}), ["get", "put", "delete", "patch", "parameters"]);
  });

  test("names the schema of a kind as clients look for it", () => {
    const schema = document.components.schemas["com.coreos.database.etcd.v1beta2.EtcdCluster"];
    assert.deepEqual(schema?.["x-kubernetes-group-version-kind"], [
      { group: GROUP, kind: "EtcdCluster", version: VERSION },
    ]);
    assert.deepEqual(Object.keys(schema?.properties ?? {}), ["apiVersion", "kind", "metadata", "spec", "status"]);
  });

  test("refers only to schemas that it has", () => {
    const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name);
    assert.ok(names.length > 0);
    assert.deepEqual(
      names.filter((name) => !document.components.schemas[name ?? ""]),
      [],
    );
  });

  test("leaves out other groups and versions that are not served", () => {
    assert.deepEqual(openApiFor(crds, GROUP, "v1").paths, {});
    assert.deepEqual(openApiFor(crds, "other.example.com", VERSION).paths, {});
  });
});
