import type { Draw } from "./draw.ts";
import type { Kind } from "./kind.ts";
import type { Json } from "./request.ts";
import { rootSchema } from "./schemas.ts";
import { goodValue } from "./values.ts";

/** A CRD with a random schema, and what stories need to know about it. */
export interface CustomKind extends Kind {
  readonly crd: Json;
}

/** The kind number `index` of a run; `run` keeps its group apart from those of other runs on the same servers. */
export function customKind(draw: Draw, run: string, index: number): CustomKind {
  const group = `k${index}-${run}.example.com`;
  const isNamespaced = draw.chance(0.85);
  const versions = versionsOf(draw);
  const version = draw.of(versions.filter(({ served }) => served));
  const schema = (version.schema as { openAPIV3Schema: Json }).openAPIV3Schema;
  const subresources = (version.subresources ?? {}) as Json;
  return {
    group,
    version: String(version.name),
    plural: "widgets",
    kind: "Widget",
    isNamespaced,
    isCustom: true,
    subresources: Object.keys(subresources),
    crd: crdOf(group, isNamespaced, versions),
    good: (more) => goodValue(more, schema) as Json,
  };
}

function crdOf(group: string, isNamespaced: boolean, versions: readonly Json[]): Json {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: isNamespaced ? "Namespaced" : "Cluster",
      names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
      versions,
    },
  };
}

function versionsOf(draw: Draw): Json[] {
  const schema = rootSchema(draw);
  const first = versionOf(draw, "v1", schema, true);
  const more = draw.weighted<readonly string[]>([
    [6, []],
    [2, ["v2"]],
    [1, ["v1beta1", "v1alpha1"]],
  ]);
  return [first, ...more.map((name) => versionOf(draw, name, draw.chance(0.5) ? schema : rootSchema(draw), false))];
}

function versionOf(draw: Draw, name: string, schema: Json, isStored: boolean): Json {
  const subresources = {
    ...(draw.chance(0.6) && { status: {} }),
    ...(draw.chance(0.3) && { scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } }),
  };
  const columns = draw.some([
    { name: "A", type: "string", jsonPath: ".spec.a" },
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    { name: "When", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "First", type: "string", jsonPath: ".spec.b[0]", priority: 1 },
  ]);
  return {
    name,
    served: isStored || draw.chance(0.8),
    storage: isStored,
    ...(!isStored && draw.chance(0.2) && { deprecated: true }),
    schema: { openAPIV3Schema: schema },
    ...(Object.keys(subresources).length > 0 && { subresources }),
    ...(columns.length > 0 && draw.chance(0.5) && { additionalPrinterColumns: columns }),
  };
}
