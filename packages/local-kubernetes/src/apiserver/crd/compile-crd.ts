import { type Cause, invalid, isBlocking } from "./cause.ts";
import { type RuleTree, ruleTree } from "./cel/rule-tree.ts";
import { validateRules } from "./cel/rule-validation.ts";
import { Correlation } from "./correlation.ts";
import type { CrdVersion, CustomResourceDefinition, ScaleSubresource } from "./custom-resource-definition.ts";
import { applyDefaults } from "./defaults.ts";
import { embeddedCauses } from "./embedded-resources.ts";
import { duplicates } from "./list-types.ts";
import { type Pruned, prune } from "./prune.ts";
import { scaleCauses } from "./scale-validation.ts";
import { type JsonObject, propertyOf, type Schema } from "./schema.ts";
import { validateValue } from "./value-validation.ts";

/** A CRD made ready for the objects of its kind. */
export interface CompiledCrd {
  readonly versions: ReadonlyMap<string, CompiledVersion>;
}

/** What the API server does to an object of one version on its way in. None of it changes what it is given. */
export interface CompiledVersion {
  prune(object: JsonObject): Pruned;
  applyDefaults(object: JsonObject): JsonObject;
  /** All that is wrong with an object; on an update, what was there before and is unchanged may stay invalid. */
  validate(object: JsonObject, old?: JsonObject, options?: ValidationOptions): Cause[];
}

export interface ValidationOptions {
  /** An update through `/status`: the schema is held against the status only, rules against the whole. */
  readonly subresource?: "status";
  /** What is already known to be wrong, such as the metadata; it comes first, and may keep rules from being run. */
  readonly before?: readonly Cause[];
}

/** Compiles the schemas of a CRD, which may make no sense: then so do the objects that are accepted. */
export function compileCrd(crd: CustomResourceDefinition): CompiledCrd {
  return { versions: new Map(crd.spec.versions.map((version) => [version.name, compileVersion(version)])) };
}

function compileVersion(version: CrdVersion): CompiledVersion {
  const schema = version.schema?.openAPIV3Schema ?? { "x-kubernetes-preserve-unknown-fields": true };
  const scale = version.subresources?.scale;
  let rules: RuleTree | undefined | null = null;
  const validator = (): Validator => {
    // Compiling takes a while, and many versions never see an object.
    if (rules === null) rules = ruleTree(schema, true);
    return { schema, rules, scale };
  };
  return {
    prune: (object) => prune(schema, object),
    applyDefaults: (object) => applyDefaults(schema, object),
    validate: (object, old, options = {}) => validate(validator(), object, old, options),
  };
}

interface Validator {
  readonly schema: Schema;
  readonly rules: RuleTree | undefined;
  readonly scale: ScaleSubresource | undefined;
}

function validate(
  { schema, rules, scale }: Validator,
  object: JsonObject,
  old: JsonObject | undefined,
  { subresource, before = [] }: ValidationOptions,
): Cause[] {
  const correlation = old && new Correlation(schema, object, old);
  const isStatus = subresource === "status";
  const causes = [
    ...before,
    ...(isStatus ? statusCauses(schema, object, correlation) : validateValue(schema, object, "", correlation).causes),
    ...scaleCauses(scale, object, subresource),
    ...(isStatus ? [] : embeddedCauses(schema, object)),
    // Lists that already had duplicates may keep them.
    ...(old && duplicates(schema, old).length > 0 ? [] : duplicates(schema, object)),
  ];
  if (!rules) return causes;
  if (causes.some(isBlocking)) return [...causes, RULES_NOT_RUN];
  const subject = { path: "", value: object, old, ratchet: { current: correlation } };
  return [...causes, ...validateRules(rules, subject)];
}

const RULES_NOT_RUN = invalid(
  "",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);

function statusCauses(schema: Schema, object: JsonObject, correlation: Correlation | undefined): readonly Cause[] {
  const status = propertyOf(schema, "status");
  if (!status || !Object.hasOwn(object, "status")) return [];
  return validateValue(status, object.status, "status", correlation?.field("status")).causes;
}
