import { type Cause, invalid, notSupported, required } from "./cause.ts";
import { type CustomResourceDefinition, withCrdDefaults } from "./custom-resource-definition.ts";
import { dns1123SubdomainErrors } from "./names.ts";

/**
 * What keeps a CRD from being served, or its stored objects from being found again. Whether its schema makes sense is
 * not judged here: a real API server does that (decision 0009).
 */
export function validateCrd(given: CustomResourceDefinition, old?: CustomResourceDefinition): Cause[] {
  const { metadata, spec } = withCrdDefaults(given);
  const stored = spec.versions.filter(({ storage }) => storage);
  const { name = "" } = metadata;
  return [
    ...dns1123SubdomainErrors(name).map((error) => invalid("metadata.name", name, error)),
    ...(name === `${spec.names.plural}.${spec.group}`
      ? []
      : [invalid("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]),
    ...(spec.group ? [] : [required("spec.group")]),
    ...(SCOPES.includes(spec.scope) ? [] : [notSupported("spec.scope", spec.scope, SCOPES)]),
    ...(spec.names.plural ? [] : [required("spec.names.plural")]),
    ...(spec.names.kind ? [] : [required("spec.names.kind")]),
    ...(stored.length === 1
      ? []
      : [invalid("spec.versions", spec.versions, "must have exactly one version marked as storage version")]),
    ...conversionCauses(spec.conversion?.strategy),
    ...(old && old.spec.scope !== spec.scope ? [invalid("spec.scope", spec.scope, "field is immutable")] : []),
  ];
}

const SCOPES = ["Cluster", "Namespaced"];

// Versions differ in nothing but their name here, and a webhook that is never called would keep that a secret.
function conversionCauses(strategy: unknown): Cause[] {
  if (strategy === "None") return [];
  const known = strategy === "Webhook" ? ["None"] : ["None", "Webhook"];
  return [notSupported("spec.conversion.strategy", strategy, known)];
}
