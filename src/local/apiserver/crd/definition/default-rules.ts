import { isDeepStrictEqual } from "node:util";
import { type Cause, invalid } from "../cause.ts";
import { ruleTree } from "../cel/rule-tree.ts";
import { validateRules } from "../cel/rule-validation.ts";
import { embeddedCauses } from "../embedded-resources.ts";
import { child, entry } from "../field-path.ts";
import { pruneDefault } from "../prune.ts";
import { itemsOf, type Schema } from "../schema.ts";
import { validateValue } from "../value-validation.ts";

/** Defaults that the schema itself would refuse or prune. */
export function defaultCauses(schema: Schema, path: string): Cause[] {
  const items = itemsOf(schema);
  return [
    ...(schema.default === undefined || schema.default === null ? [] : ownCauses(schema, child(path, "default"))),
    ...(items ? defaultCauses(items, child(path, "items")) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
      defaultCauses(each, entry(child(path, "properties"), name)),
    ),
  ];
}

function ownCauses(schema: Schema, path: string): Cause[] {
  const value = schema.default;
  const unknown = isDeepStrictEqual(pruneDefault(schema, value), value)
    ? []
    : [invalid(path, value, "must not have unknown fields")];
  const causes = [embeddedCauses(schema, value, path), validateValue(schema, value, path).causes];
  const first = causes.find((each) => each.length > 0);
  return [...unknown, ...(first ?? failedRules(schema, value, path))];
}

// A default may be the first value as well as one that stays.
function failedRules(schema: Schema, value: unknown, path: string): Cause[] {
  const rules = ruleTree(schema, false);
  if (!rules) return [];
  const run = (old: unknown) => validateRules(rules, { path, value, old, ratchet: {} });
  const staying = run(value);
  return staying.length > 0 ? staying : run(undefined);
}
