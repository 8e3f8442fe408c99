import { type Cause, invalid } from "../cause.ts";
import { type RuleTree, ruleTree } from "../cel/rule-tree.ts";
import type { CompiledRule } from "../cel/rules.ts";
import { child, entry } from "../field-path.ts";
import { Literal } from "../go-text.ts";
import type { Rule, Schema } from "../schema.ts";

/** CEL rules that do not compile, or that ask for old values where none can be told. */
export function ruleCompileCauses(schema: Schema, path: string): Cause[] {
  const tree = ruleTree(schema, true);
  return tree ? inTree(tree, path, undefined) : [];
}

function inTree(tree: RuleTree, path: string, uncorrelatable: string | undefined): Cause[] {
  const { schema, rules, properties, values, items } = tree;
  const isKeyed = schema["x-kubernetes-list-type"] === "map";
  return [
    ...(values ? inTree(values, child(path, "additionalProperties"), uncorrelatable) : []),
    ...[...properties].flatMap(([name, each]) => inTree(each, entry(child(path, "properties"), name), uncorrelatable)),
    ...(items ? inTree(items, child(path, "items"), uncorrelatable ?? (isKeyed ? undefined : path)) : []),
    ...rules.flatMap((rule, i) => ofRule(rule, entry(child(path, "x-kubernetes-validations"), i), uncorrelatable)),
  ];
}

function ofRule(rule: CompiledRule, path: string, uncorrelatable: string | undefined): Cause[] {
  const { source, error, messageError } = rule;
  const causes: Cause[] = [];
  if (error) causes.push(invalid(child(path, "rule"), asStored(source), error));
  if (messageError) causes.push(invalid(child(path, "messageExpression"), asStored(source), messageError));
  if (error) return causes;
  if (rule.usesOldSelf && uncorrelatable) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    causes.push(invalid(child(path, "rule"), source.rule, detail));
  }
  if (!rule.usesOldSelf && source.optionalOldSelf !== undefined) {
    const detail = "may not be set if oldSelf is not used in rule";
    causes.push(invalid(child(path, "optionalOldSelf"), source.optionalOldSelf, detail));
  }
  return causes;
}

// The real server shows the rule as it holds it in memory: other names, and all of them.
function asStored(rule: Rule): Literal {
  return Literal.struct({
    Rule: rule.rule,
    Message: rule.message ?? "",
    MessageExpression: rule.messageExpression ?? "",
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? "",
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  });
}
