import { invalid, notSupported, required, tooMany } from "./cause.ts";
import type { Correlation } from "./correlation.ts";
import { child } from "./field-path.ts";
import { Findings } from "./findings.ts";
import { goQuote } from "./go-text.ts";
import { checkNumber, checkString, type Place } from "./scalar-validation.ts";
import { isObject, itemsOf, propertyOf, type Schema, valuesOf } from "./schema.ts";
import { isOneOf, typeFindings } from "./type-validation.ts";

/** Everything that a schema says against a value, CEL rules aside. `base` is the path of the value itself. */
export function validateValue(schema: Schema, value: unknown, base = "", correlation?: Correlation): Findings {
  return validateAt(schema, value, { base, name: "" }, correlation);
}

// What was there before and is not touched may stay invalid.
function validateAt(schema: Schema, value: unknown, place: Place, correlation: Correlation | undefined): Findings {
  const findings = check(schema, value, place, correlation);
  return !findings.isEmpty && correlation?.isUnchanged ? findings.forgiven() : findings;
}

function check(schema: Schema, value: unknown, place: Place, correlation: Correlation | undefined): Findings {
  const findings = new Findings();
  if (value === null) return findings.merge(typeFindings(schema, value, place)).merge(checkEnum(schema, value, place));
  const hasType = schema.type !== undefined || schema["x-kubernetes-int-or-string"] === true;
  if (hasType) findings.merge(typeFindings(schema, value, place)).count();
  findings.merge(checkCombinations(schema, value, place, correlation)).count();
  if (typeof value === "string") findings.merge(checkString(schema, value, place));
  if (typeof value === "number") findings.merge(checkNumber(schema, value, place)).count();
  if (Array.isArray(value)) findings.merge(checkList(schema, value, place, correlation)).count();
  findings.merge(checkEnum(schema, value, place)).count();
  if (isObject(value)) findings.merge(checkObject(schema, value, place, correlation)).count();
  return findings.count();
}

function checkEnum(schema: Schema, value: unknown, { base, name }: Place): Findings {
  const findings = new Findings();
  if (!schema.enum || schema.enum.length === 0 || isOneOf(schema.enum, value)) return findings;
  return findings.add(
    `${name} in body should be one of ${schema.enum}`,
    notSupported(child(base, name), value, schema.enum),
  );
}

function checkList(
  schema: Schema,
  list: readonly unknown[],
  place: Place,
  correlation: Correlation | undefined,
): Findings {
  const findings = new Findings();
  const { base, name } = place;
  const items = itemsOf(schema);
  if (items) {
    list.forEach((item, i) => {
      findings.merge(validateAt(items, item, { base, name: `${name}[${i}]` }, correlation?.item(i)));
    });
  }
  if (schema.minItems !== undefined && list.length < schema.minItems) {
    const text = `${name} in body should have at least ${schema.minItems} items`;
    findings.add(text, invalid(child(base, name), list.length, text));
  }
  if (schema.maxItems !== undefined && list.length > schema.maxItems) {
    const text = `${name} in body should have at most ${schema.maxItems} items`;
    findings.add(text, tooMany(child(base, name), list.length, schema.maxItems));
  }
  return findings.count();
}

function checkObject(
  schema: Schema,
  object: Record<string, unknown>,
  place: Place,
  correlation: Correlation | undefined,
): Findings {
  const findings = checkPropertyCount(schema, Object.keys(object).length, place);
  const { base, name } = place;
  for (const [key, value] of Object.entries(object)) {
    const known = propertyOf(schema, key) ?? valuesOf(schema);
    if (!known) continue;
    // The API version and the kind are converted on the way in, so that they never count as unchanged.
    const isTypeMeta = base === "" && name === "" && (key === "apiVersion" || key === "kind");
    const inside = { base, name: child(name, key) };
    findings.merge(validateAt(known, value, inside, isTypeMeta ? undefined : correlation?.field(key)));
  }
  for (const key of schema.required ?? []) {
    if (Object.hasOwn(object, key)) continue;
    const missing = child(name, key);
    findings.add(`${missing} in body is required`, required(child(base, missing)));
  }
  return findings;
}

function checkPropertyCount({ minProperties, maxProperties }: Schema, count: number, { base, name }: Place): Findings {
  const findings = new Findings();
  if (minProperties !== undefined && count < minProperties) {
    const text = `${name} in body should have at least ${minProperties} properties`;
    findings.add(text, invalid(child(base, name), count, text));
  }
  if (maxProperties !== undefined && count > maxProperties) {
    const text = `${name} in body should have at most ${maxProperties} properties`;
    findings.add(text, tooMany(child(base, name), count, maxProperties));
  }
  return findings;
}

function checkCombinations(
  schema: Schema,
  value: unknown,
  place: Place,
  correlation: Correlation | undefined,
): Findings {
  const findings = new Findings();
  const against = (each: Schema) => check(each, value, place, correlation);
  const fail = (what: string) => {
    const text = `${goQuote(place.name)} ${what}`;
    findings.add(text, invalid(place.base, "", text));
  };
  if (schema.anyOf?.length) {
    const results = schema.anyOf.map(against);
    const valid = results.find(({ isEmpty }) => isEmpty);
    if (!valid) fail("must validate at least one schema (anyOf)");
    findings.merge(valid ?? furthest(results));
  }
  if (schema.oneOf?.length) {
    const results = schema.oneOf.map(against);
    const valid = results.filter(({ isEmpty }) => isEmpty);
    if (valid.length === 0) fail("must validate one and only one schema (oneOf). Found none valid");
    if (valid.length > 1) {
      fail(`must validate one and only one schema (oneOf). Found ${valid.length} valid alternatives`);
    }
    const [first] = valid;
    if (!first) findings.merge(furthest(results));
    else if (valid.length === 1) findings.merge(first);
  }
  if (schema.allOf?.length) {
    const results = schema.allOf.map(against);
    for (const result of results) findings.merge(result);
    const valid = results.filter(({ isEmpty }) => isEmpty).length;
    if (valid < results.length) fail(`must validate all the schemas (allOf)${valid === 0 ? ". None validated" : ""}`);
  }
  if (schema.not && against(schema.not).isEmpty) fail("must not validate the schema (not)");
  return findings.count();
}

function furthest(results: readonly Findings[]): Findings {
  return results.reduce((best, each) => (each.checks > best.checks ? each : best));
}
