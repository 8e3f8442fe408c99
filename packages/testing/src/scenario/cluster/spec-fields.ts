import { etcdClusterSpec } from "@etcd-operator/operator/api/etcd-cluster-spec.ts";

interface Definition {
  readonly type: string;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly shape?: Readonly<Record<string, Schema>>;
  /** What becomes of keys that are not in the shape; a field that is handed on as it is keeps them. */
  readonly catchall?: unknown;
}

interface Schema {
  readonly def: Definition;
}

/** Every field of the spec that has a meaning of its own, such as "pod.resources", by the schema itself. */
export function specFields(): readonly string[] {
  // Only the definitions are read, which all schemas have.
  return [...fieldsOf(etcdClusterSpec as unknown as Schema, "")].sort();
}

function fieldsOf(schema: Schema, path: string): readonly string[] {
  const { shape, catchall } = unwrapped(schema).def;
  if (!shape || catchall) return [path];
  return Object.entries(shape).flatMap(([key, inner]) => fieldsOf(inner, path === "" ? key : `${path}.${key}`));
}

function unwrapped(schema: Schema): Schema {
  const inner = schema.def.innerType ?? schema.def.in;
  return inner ? unwrapped(inner) : schema;
}
