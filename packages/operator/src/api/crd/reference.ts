import { API_VERSION } from "../group.ts";
import { type Kind, kinds } from "../kinds.ts";
import { type StructuralSchema, structuralSchema } from "./structural-schema.ts";

/** The reference of the API in Markdown: every field with its type, default, limits and rules. */
export function apiReference(): string {
  const sections = Object.values<Kind>(kinds).map(kindSection);
  return `# API reference: ${API_VERSION}\n\n${sections.join("\n")}`;
}

function kindSection(kind: Kind): string {
  const { properties = {}, ...root } = structuralSchema(kind.schema);
  const parts = ["spec", "status"].map((part) => {
    const schema = properties[part] ?? {};
    const rows = fieldRows(schema, part);
    return `### ${kind.kind}.${part}\n\n| Field | Type | Default | Meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `## ${kind.kind}\n\n${kind.description}\n\n${ruleList(root, "")}${parts.join("\n")}`;
}

function fieldRows(schema: StructuralSchema, path: string): string[] {
  const rows: string[] = [];
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const at = `${path}.${name}`;
    const isRequired = schema.required?.includes(name) ?? false;
    rows.push(`| \`${at}\` | ${typeOf(child)} | ${defaultOf(child, isRequired)} | ${meaningOf(child)} |`);
    rows.push(...fieldRows(child, at));
    if (child.items) rows.push(...fieldRows(child.items, `${at}[]`));
  }
  return rows;
}

function typeOf(schema: StructuralSchema): string {
  if (schema["x-kubernetes-int-or-string"]) return "quantity";
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  if (schema.additionalProperties) return `map to ${typeOf(schema.additionalProperties)}`;
  return `${schema.type ?? "object"}${boundsOf(schema)}`;
}

function boundsOf({ minimum, maximum }: StructuralSchema): string {
  if (minimum !== undefined && maximum !== undefined && maximum < 2 ** 31 - 1) return ` ${minimum}–${maximum}`;
  if (minimum !== undefined) return ` ≥ ${minimum}`;
  return "";
}

function defaultOf(schema: StructuralSchema, isRequired: boolean): string {
  if (isRequired) return "required";
  return schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``;
}

function meaningOf(schema: StructuralSchema): string {
  const kept = schema["x-kubernetes-preserve-unknown-fields"] ? " Further keys are kept." : "";
  const rules = (schema["x-kubernetes-validations"] ?? []).map(({ message }) => ` Refused: ${message}.`).join("");
  return `${schema.description ?? ""}${kept}${rules}`.replaceAll("|", "\\|");
}

function ruleList(schema: StructuralSchema, indent: string): string {
  const rules = schema["x-kubernetes-validations"] ?? [];
  return rules.length === 0 ? "" : `${rules.map(({ message }) => `${indent}- Refused: ${message}.`).join("\n")}\n\n`;
}
