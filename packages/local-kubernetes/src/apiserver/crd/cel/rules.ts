import type { Environment } from "@marcbachmann/cel-js";
import { child, entry } from "../field-path.ts";
import { propertyOf, type Rule, type Schema, valuesOf } from "../schema.ts";
import { compileExpression, type Expression, mentions } from "./expression.ts";
import { CelFailure } from "./failure.ts";
import type { CelType } from "./types.ts";

/** A rule, ready to run; or why it does not compile. */
export interface CompiledRule {
  readonly source: Rule;
  readonly usesOldSelf: boolean;
  readonly expression?: Expression;
  readonly error?: string;
  readonly message?: Expression;
  /** Below the node that bears the rule; empty for the node itself. */
  readonly fieldPath: string;
}

/** Compiles the rules of one node of a schema. */
export function compileRules(env: Environment, type: CelType, schema: Schema): readonly CompiledRule[] {
  const rules = schema["x-kubernetes-validations"] ?? [];
  const scope = (oldSelf: string) =>
    env.clone().registerVariable("self", type.name).registerVariable("oldSelf", oldSelf);
  const [plain, optional] = [scope(type.name), scope(`optional<${type.name}>`)];
  return rules.map((rule) => compileRule(rule.optionalOldSelf ? optional : plain, rule, schema));
}

function compileRule(env: Environment, source: Rule, schema: Schema): CompiledRule {
  const own = {
    source,
    usesOldSelf: mentions(source.rule, "oldSelf"),
    fieldPath: (source.fieldPath && fieldPath(schema, source.fieldPath)) ?? "",
  };
  const compiled = attempt(env, source.rule, "bool");
  if (!compiled.expression || !source.messageExpression) return { ...own, ...compiled };
  const { expression: message } = attempt(env, source.messageExpression, "string");
  return { ...own, ...compiled, ...(message && { message }) };
}

function attempt(env: Environment, source: string, wanted: "bool" | "string") {
  try {
    const expression = compileExpression(env, source);
    return expression.type === wanted ? { expression } : { error: `cel expression must evaluate to a ${wanted}` };
  } catch (error) {
    if (error instanceof CelFailure) return { error: `compilation failed: ${error.message}` };
    throw error;
  }
}

/** The `fieldPath` of a rule as causes name it; undefined where the schema has no such field. */
function fieldPath(schema: Schema, path: string): string | undefined {
  let at: Schema | undefined = schema;
  let named = "";
  let rest = path;
  while (rest !== "" && at) {
    const [all, plain, quoted] = /^(?:\.([^.[\]]+)|\['((?:\\.|[^'\\])*)'\])/.exec(rest) ?? [];
    const name: string | undefined = plain ?? quoted?.replace(/\\(.)/g, "$1");
    if (all === undefined || name === undefined) return undefined;
    const property = propertyOf(at, name);
    named = at.properties ? child(named, name) : entry(named, name);
    at = property ?? (at.properties ? undefined : valuesOf(at));
    rest = rest.slice(all.length);
  }
  return at && named;
}
