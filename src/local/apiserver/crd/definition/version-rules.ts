import { type Cause, forbidden, invalid, required } from "../cause.ts";
import type { CrdVersion, PrinterColumn, ScaleSubresource } from "../custom-resource-definition.ts";
import { child, entry } from "../field-path.ts";
import type { Schema } from "../schema.ts";
import { defaultCauses } from "./default-rules.ts";
import { ruleCompileCauses } from "./rule-causes.ts";
import { schemaRuleCauses } from "./schema-rules.ts";
import { structuralCauses } from "./structural.ts";

/** What is wrong with the schema of a version; `path` is that of `openAPIV3Schema`. */
export function schemaCauses(schema: Schema, hasStatus: boolean, path: string): Cause[] {
  const root = [
    ...(hasStatus ? rootCauses(schema, path) : []),
    ...(schema.nullable ? [forbidden(child(path, "nullable"), "nullable cannot be true at the root")] : []),
  ];
  const structural = structuralCauses(schema, path);
  const defaults = structural.length > 0 ? structural : defaultCauses(schema, path);
  const rules = schemaRuleCauses(schema, path);
  // Rules are typed by the schema, so they are read only where it makes sense.
  const isSound = defaults.length === 0 && rules.length === 0;
  return [...root, ...defaults, ...rules, ...(isSound ? ruleCompileCauses(schema, path) : [])];
}

// The schema of the status is cut out of the whole, and what is said around it would be lost.
const ALLOWED_AT_ROOT: ReadonlySet<string> = new Set([
  ..."description type format title maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength".split(" "),
  ..."pattern maxItems minItems uniqueItems multipleOf required items properties externalDocs example".split(" "),
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-validations",
]);

function rootCauses(schema: Schema, path: string): Cause[] {
  if (schema.type !== undefined && schema.type !== "object") {
    const detail =
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
    return [invalid(child(path, "type"), schema.type, detail)];
  }
  if (Object.keys(schema).every((name) => ALLOWED_AT_ROOT.has(name))) return [];
  const names = [...ALLOWED_AT_ROOT].map((name) => {
    const plain = name.replace(/^x-kubernetes/, "X").replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return plain.charAt(0).toUpperCase() + plain.slice(1);
  });
  const detail = `only [${names.join(" ")}] fields are allowed at the root of the schema if the status subresource is enabled`;
  return [invalid(path, schema, detail)];
}

/** What is wrong with the subresources of a version. */
export function subresourceCauses(subresources: CrdVersion["subresources"], path: string): Cause[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const at = (name: keyof ScaleSubresource) => child(path, `scale.${name}`);
  return [
    ...pathCauses(scale.specReplicasPath, at("specReplicasPath"), /^\.spec\./, "under .spec"),
    ...pathCauses(scale.statusReplicasPath, at("statusReplicasPath"), /^\.status\./, "under .status"),
    ...(scale.labelSelectorPath
      ? pathCauses(
          scale.labelSelectorPath,
          at("labelSelectorPath"),
          /^\.(spec|status)\./,
          "under either .spec or .status",
        )
      : []),
  ];
}

function pathCauses(path: string | undefined, field: string, place: RegExp, where: string): Cause[] {
  if (!path) return [required(field)];
  if (!path.startsWith(".")) return [invalid(field, path, "must be a simple json path starting with .")];
  return place.test(path) ? [] : [invalid(field, path, `should be a json path ${where}`)];
}

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

/** What is wrong with a printer column. */
export function columnCauses({ name, type, format, jsonPath }: PrinterColumn, path: string): Cause[] {
  const types = `must be one of ${COLUMN_TYPES.join(",")}`;
  return [
    ...(name ? [] : [required(child(path, "name"))]),
    ...(type ? [] : [required(child(path, "type"), types)]),
    ...(type && !COLUMN_TYPES.includes(type) ? [invalid(child(path, "type"), type, types)] : []),
    ...(format && !COLUMN_FORMATS.includes(format)
      ? [invalid(child(path, "format"), format, `must be one of ${COLUMN_FORMATS.join(",")}`)]
      : []),
    ...pathCauses(jsonPath, child(path, "JSONPath"), /^\./, ""),
  ];
}

/** What is wrong with the warning of a deprecated version. */
export function deprecationCauses({ deprecated, deprecationWarning: warning }: CrdVersion, path: string): Cause[] {
  if (warning === undefined) return [];
  const details = [
    ...(deprecated ? [] : ["can only be set for deprecated versions"]),
    ...(deprecated && warning.length > 256 ? ["must be <= 256 characters long"] : []),
    ...(deprecated && warning === "" ? ["must not be an empty string"] : []),
  ];
  return details.map((detail) => invalid(child(path, "deprecationWarning"), warning, detail));
}

/** Causes of a part that versions share are told once, at the place where it would stand for all of them. */
export function perVersion<Part>(
  versions: readonly CrdVersion[],
  pick: (version: CrdVersion) => Part | undefined,
  isSame: (a: Part | undefined, b: Part | undefined) => boolean,
  names: { readonly shared: string; readonly own: string },
  causesOf: (part: Part, path: string) => Cause[],
): Cause[] {
  const [first] = versions;
  const shared = first && pick(first);
  if (shared !== undefined && versions.every((version) => isSame(pick(version), shared))) {
    return causesOf(shared, child("spec", names.shared));
  }
  return versions.flatMap((version, i) => {
    const part = pick(version);
    return part === undefined ? [] : causesOf(part, child(entry("spec.versions", i), names.own));
  });
}
