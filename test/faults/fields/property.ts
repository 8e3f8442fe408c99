import { type StructuralSchema, structuralSchema } from "@etcd-operator/operator/api/crd/structural-schema.ts";
import { type KindName, kinds } from "@etcd-operator/operator/api/kinds.ts";

/** One property of a spec, as its CRD has it. */
export interface Property {
  readonly kind: KindName;
  /**
   * Inside the spec: "pod.labels"; "pod.labels{}" for what a map holds, "pod.tolerations[].key" for what is in a list.
   */
  readonly path: string;
  readonly schema: StructuralSchema;
  readonly isRequired: boolean;
}

const known = new Map<KindName, readonly Property[]>();

/** Every property of a kind's spec, blocks and what is in them, by the CRD itself. */
export function propertiesOf(kind: KindName): readonly Property[] {
  const found = known.get(kind) ?? foundIn(kind);
  known.set(kind, found);
  return found;
}

function foundIn(kind: KindName): readonly Property[] {
  const spec = structuralSchema(kinds[kind].schema).properties?.spec;
  if (!spec) throw new Error(`${kind} has no spec`);
  return below(kind, spec, "");
}

function below(kind: KindName, schema: StructuralSchema, path: string): readonly Property[] {
  const { properties = {}, required = [], items, additionalProperties } = schema;
  return [
    ...Object.entries(properties).flatMap(([key, inner]) =>
      withBelow(kind, inner, path === "" ? key : `${path}.${key}`, required.includes(key)),
    ),
    ...(items ? withBelow(kind, items, `${path}[]`, false) : []),
    ...(additionalProperties ? withBelow(kind, additionalProperties, `${path}{}`, false) : []),
  ];
}

function withBelow(kind: KindName, schema: StructuralSchema, path: string, isRequired: boolean): readonly Property[] {
  return [{ kind, path, schema, isRequired }, ...below(kind, schema, path)];
}
