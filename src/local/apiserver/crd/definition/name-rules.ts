import { type Cause, invalid, required } from "../cause.ts";
import type { CrdNames, CustomResourceDefinition } from "../custom-resource-definition.ts";
import { child, entry } from "../field-path.ts";
import { dns1035LabelErrors, dns1123SubdomainErrors } from "../names.ts";

/** Whether the CRD is named after its resource, as it must be. */
export function metadataCauses({ metadata, spec }: CustomResourceDefinition): Cause[] {
  const name = metadata.name ?? "";
  if (name === "") return [required("metadata.name", "name or generateName is required")];
  return [
    ...dns1123SubdomainErrors(name),
    ...(name === `${spec.names.plural}.${spec.group}` ? [] : ['must be spec.names.plural+"."+spec.group']),
  ].map((error) => invalid("metadata.name", name, error));
}

/** Whether the group is a domain. */
export function groupCauses(group: string | undefined): Cause[] {
  if (!group) return [required("spec.group")];
  const errors = dns1123SubdomainErrors(group);
  if (errors.length > 0) return [invalid("spec.group", group, errors.join(","))];
  return group.includes(".") ? [] : [invalid("spec.group", group, "should be a domain with at least one dot")];
}

/** Whether the names of the resource can be part of URLs. */
export function nameCauses(names: CrdNames): Cause[] {
  const path = "spec.names";
  const missing = (["plural", "singular", "kind", "listKind"] as const).filter((name) => !names[name]);
  return [
    ...missing.map((name) => required(child(path, name))),
    ...label(names.plural, child(path, "plural")),
    ...label(names.singular, child(path, "singular")),
    ...kind(names.kind, child(path, "kind")),
    ...kind(names.listKind, child(path, "listKind")),
    ...(names.shortNames ?? []).flatMap((name, i) => label(name, entry(child(path, "shortNames"), i))),
    ...(names.kind && names.kind === names.listKind
      ? [invalid(child(path, "listKind"), names.listKind, "kind and listKind may not be the same")]
      : []),
    ...(names.categories ?? []).flatMap((name, i) => label(name, entry(child(path, "categories"), i))),
  ];
}

function label(text: string | undefined, path: string): Cause[] {
  const errors = text ? dns1035LabelErrors(text) : [];
  return errors.length > 0 ? [invalid(path, text, errors.join(","))] : [];
}

function kind(text: string | undefined, path: string): Cause[] {
  const errors = text ? dns1035LabelErrors(text.toLowerCase()) : [];
  if (errors.length === 0) return [];
  return [invalid(path, text, `may have mixed case, but should otherwise match: ${errors.join(",")}`)];
}
