import type { Environment } from "@marcbachmann/cel-js";
import { itemsOf, type Schema, valuesOf } from "../schema.ts";
import { kubernetesCel } from "./library.ts";
import { type CompiledRule, compileRules } from "./rules.ts";
import { type CelType, CelTypes } from "./types.ts";

/** The rules of a schema, in the shape of the schema; nodes without any below them are left out. */
export interface RuleTree {
  readonly schema: Schema;
  readonly type: CelType;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleTree>;
  readonly values?: RuleTree;
  readonly items?: RuleTree;
}

/** Compiles all rules of a schema; undefined where it has none. */
export function ruleTree(schema: Schema, isResource: boolean): RuleTree | undefined {
  if (!hasRules(schema)) return undefined;
  const env = kubernetesCel();
  const types = new CelTypes(env);
  types.of(schema, isResource);
  return treeOf(schema, env, types);
}

function treeOf(schema: Schema, env: Environment, types: CelTypes): RuleTree | undefined {
  const type = types.of(schema);
  if (!type) return undefined;
  const below = (each: Schema | undefined) => (each && hasRules(each) ? treeOf(each, env, types) : undefined);
  const [values, items] = [below(valuesOf(schema)), below(itemsOf(schema))];
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const tree = below(each);
    return tree ? [[name, tree] as const] : [];
  });
  const rules = schema["x-kubernetes-validations"] ? compileRules(env, type, schema) : [];
  return { schema, type, rules, properties: new Map(properties), ...(values && { values }), ...(items && { items }) };
}

function hasRules(schema: Schema): boolean {
  if (schema["x-kubernetes-validations"]?.length) return true;
  const below = [...Object.values(schema.properties ?? {}), valuesOf(schema), itemsOf(schema)];
  return below.some((each) => each !== undefined && hasRules(each));
}
