import type { KubeObject } from "../kube-object.ts";
import { valueIn } from "../kube-object.ts";
import type { NameRule } from "../meta/names.ts";
import { prefixOf } from "../storage/entry.ts";
import { ageColumn, type Column, nameColumn } from "../table/column.ts";
import type { KindRules, Resource, ScalePaths, Subresource } from "./resource.ts";
import { tableCodec } from "./table-codec.ts";

/** The kind, where it lives, and what differs from the most common. */
export interface BuiltinKind {
  readonly kind: string;
  readonly plural?: string;
  readonly scope?: "Cluster" | "Namespaced";
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly string[];
  readonly nameRule?: NameRule;
  readonly status?: boolean;
  readonly generation?: boolean;
  readonly needsVersion?: boolean;
  readonly createsOnUpdate?: boolean;
  readonly scale?: ScalePaths;
  readonly subresources?: readonly Subresource[];
  readonly returnedWhenDeleted?: boolean;
  readonly fields?: Resource["selectableFields"];
  readonly columns?: readonly Column[];
  readonly deprecation?: string;
  readonly rules?: KindRules;
  /** In the table of types, where it is not the kind. */
  readonly typeName?: string;
}

export const ALL_VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

const SUBRESOURCE_VERBS = ["get", "patch", "update"];

/** Makes the resources of one group and version from rows of the table. */
export function builtins(group: string, version: string, rows: readonly BuiltinKind[]): Resource[] {
  return rows.map((row) => builtin(group, version, row));
}

function builtin(group: string, version: string, row: BuiltinKind): Resource {
  const { kind } = row;
  const singular = kind.toLowerCase();
  const plural = row.plural ?? `${singular}s`;
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular,
    namespaced: row.scope !== "Cluster",
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    verbs: row.verbs ?? ALL_VERBS,
    subresources: subresourcesOf(row),
    isCustom: false,
    prefix: prefixOf(group, plural),
    nameRule: row.nameRule ?? "subdomain",
    hasStatus: row.status ?? false,
    ...(row.scale && { scale: row.scale }),
    tracksGeneration: row.generation ?? false,
    needsVersion: row.needsVersion ?? false,
    createsOnUpdate: row.createsOnUpdate ?? false,
    isReturnedWhenDeleted: row.returnedWhenDeleted ?? false,
    selectableFields: row.fields ?? {},
    columns: row.columns ?? [nameColumn, ageColumn],
    ...(row.deprecation && { deprecation: row.deprecation }),
    codec: tableCodec({ group, version, kind }, row.typeName),
    rules: row.rules ?? {},
  };
}

function subresourcesOf({ kind, status, scale, subresources = [] }: BuiltinKind): Subresource[] {
  return [
    ...subresources,
    ...(scale ? [SCALE_SUBRESOURCE] : []),
    ...(status ? [{ name: "status", kind, verbs: SUBRESOURCE_VERBS }] : []),
  ].sort((one, other) => (one.name < other.name ? -1 : 1));
}

export const SCALE_SUBRESOURCE: Subresource = {
  name: "scale",
  kind: "Scale",
  group: "autoscaling",
  version: "v1",
  verbs: SUBRESOURCE_VERBS,
};

/** Field selectors that are paths into the object; what is not set is the text given here. */
export function selectable(paths: Readonly<Record<string, string>>): Resource["selectableFields"] {
  return Object.fromEntries(
    Object.entries(paths).map(([path, otherwise]) => {
      const fields = path.split(".");
      return [path, (object: KubeObject) => String(valueIn(object, ...fields) ?? otherwise)];
    }),
  );
}
