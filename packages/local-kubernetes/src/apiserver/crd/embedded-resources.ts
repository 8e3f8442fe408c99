import { type Cause, invalid, required } from "./cause.ts";
import { child, entry } from "./field-path.ts";
import { dns1035LabelErrors } from "./names.ts";
import { isObject, itemsOf, propertyOf, type Schema, valuesOf } from "./schema.ts";

/** What is wrong with the type and metadata of resources inside of a resource. */
export function embeddedCauses(schema: Schema | undefined, value: unknown, path = ""): Cause[] {
  if (!schema) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => embeddedCauses(itemsOf(schema), item, entry(path, i)));
  }
  if (!isObject(value)) return [];
  const own = schema["x-kubernetes-embedded-resource"] ? typeCauses(value, path) : [];
  const inside = Object.entries(value).flatMap(([name, field]) => {
    const known = propertyOf(schema, name);
    return known
      ? embeddedCauses(known, field, child(path, name))
      : embeddedCauses(valuesOf(schema), field, entry(path, name));
  });
  return [...own, ...inside];
}

function typeCauses({ apiVersion, kind }: Record<string, unknown>, path: string): Cause[] {
  return [
    ...textCauses(child(path, "apiVersion"), apiVersion, apiVersionError),
    ...textCauses(child(path, "kind"), kind, kindError),
  ];
}

function textCauses(field: string, value: unknown, errorOf: (text: string) => string | undefined): Cause[] {
  if (value === undefined) return [required(field)];
  if (typeof value !== "string") return [invalid(field, value, "must be a string")];
  const error = value === "" ? "must not be empty" : errorOf(value);
  return error === undefined ? [] : [invalid(field, value, error)];
}

function apiVersionError(apiVersion: string): string | undefined {
  return apiVersion.split("/").length > 2 ? `unexpected GroupVersion string: ${apiVersion}` : undefined;
}

function kindError(kind: string): string | undefined {
  const errors = dns1035LabelErrors(kind.toLowerCase());
  return errors.length > 0 ? `may have mixed case, but should otherwise match: ${errors.join(",")}` : undefined;
}
