import { isDeepStrictEqual } from "node:util";
import { type Cause, invalid, notSupported, required } from "../cause.ts";
import { type CrdVersion, type CustomResourceDefinition, withCrdDefaults } from "../custom-resource-definition.ts";
import { child, entry } from "../field-path.ts";
import { Literal } from "../go-text.ts";
import { dns1035LabelErrors } from "../names.ts";
import { groupCauses, metadataCauses, nameCauses } from "./name-rules.ts";
import { columnCauses, deprecationCauses, perVersion, schemaCauses, subresourceCauses } from "./version-rules.ts";

/** All that is wrong with a CRD that is to be created, or to take the place of `old`. */
export function validateCrd(given: CustomResourceDefinition, old?: CustomResourceDefinition): Cause[] {
  const crd = withCrdDefaults(given);
  const { spec } = crd;
  return [
    ...(old ? [] : metadataCauses(crd)),
    ...groupCauses(spec.group),
    ...scopeCauses(spec.scope),
    ...spec.versions.flatMap((version, i) => versionCauses(version, entry("spec.versions", i))),
    ...storageCauses(spec.versions, given.spec.versions === undefined),
    ...firstVersionCauses(spec.versions[0]),
    ...nameCauses(spec.names),
    ...partCauses(spec.versions),
    ...conversionCauses(spec.conversion?.strategy),
    ...(old ? immutableCauses(crd, old) : []),
    ...storedCauses(storedVersions(crd, old), spec.versions),
    ...(spec.preserveUnknownFields && !old?.spec.preserveUnknownFields
      ? [
          invalid("spec.preserveUnknownFields", true, PRESERVE_UNKNOWN),
          ...(spec.versions.some(({ schema }) => hasDefault(schema?.openAPIV3Schema))
            ? [invalid("spec.preserveUnknownFields", true, "must be false in order to use defaults in the schema")]
            : []),
        ]
      : []),
  ];
}

/** Whether a default stands anywhere in a schema. */
function hasDefault(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return Object.entries(schema).some(([key, value]) => (key === "default" && value !== undefined) || hasDefault(value));
}

const PRESERVE_UNKNOWN =
  "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead";

function scopeCauses(scope: string | undefined): Cause[] {
  if (!scope) return [required("spec.scope")];
  const scopes = ["Cluster", "Namespaced"];
  return scopes.includes(scope) ? [] : [notSupported("spec.scope", scope, scopes)];
}

function versionCauses(version: CrdVersion, path: string): Cause[] {
  const errors = dns1035LabelErrors(version.name);
  return [
    ...(version.schema?.openAPIV3Schema ? [] : [required(child(path, "schema.openAPIV3Schema"))]),
    ...(errors.length > 0 ? [invalid(child(path, "name"), version.name, errors.join(","))] : []),
    ...deprecationCauses(version, path),
  ];
}

// The first version also goes by the name that CRDs had for their only one.
function firstVersionCauses(first: CrdVersion | undefined): Cause[] {
  const errors = first ? dns1035LabelErrors(first.name) : [];
  return errors.length > 0 ? [invalid("spec.version", first?.name, errors.join(","))] : [];
}

function storageCauses(versions: readonly CrdVersion[], isUnset: boolean): Cause[] {
  const names = new Set(versions.map(({ name }) => name));
  const stored = versions.filter(({ storage }) => storage);
  return [
    ...(names.size < versions.length ? ["must contain unique version names"] : []),
    ...(stored.length === 1 ? [] : ["must have exactly one version marked as storage version"]),
  ].map((detail) => invalid("spec.versions", isUnset ? null : asStored(versions), detail));
}

// The real server shows versions as it holds them in memory, where what they share stands beside them.
function asStored(versions: readonly CrdVersion[]): Literal {
  const own = <Part>(pick: (version: CrdVersion) => Part | undefined, version: CrdVersion) =>
    versions.every((each) => isDeepStrictEqual(pick(each), pick(version))) ? null : (pick(version) ?? null);
  return Literal.list(
    versions.map((version) =>
      Literal.struct({
        Name: version.name,
        Served: version.served ?? false,
        Storage: version.storage ?? false,
        Deprecated: version.deprecated ?? false,
        DeprecationWarning: version.deprecationWarning ?? null,
        Schema: own(({ schema }) => schema, version),
        Subresources: own(({ subresources }) => subresources, version),
        AdditionalPrinterColumns: own(({ additionalPrinterColumns }) => additionalPrinterColumns, version),
        SelectableFields: null,
      }),
    ),
  );
}

function partCauses(versions: readonly CrdVersion[]): Cause[] {
  const hasStatus = versions.some(({ subresources }) => subresources?.status !== undefined);
  return [
    ...perVersion(
      versions,
      ({ schema }) => schema?.openAPIV3Schema,
      isDeepStrictEqual,
      { shared: "validation.openAPIV3Schema", own: "schema.openAPIV3Schema" },
      (schema, path) => schemaCauses(schema, hasStatus, path),
    ),
    ...perVersion(
      versions,
      ({ subresources }) => subresources,
      isDeepStrictEqual,
      { shared: "subresources", own: "subresources" },
      subresourceCauses,
    ),
    ...perVersion(
      versions,
      ({ additionalPrinterColumns }) => additionalPrinterColumns,
      isDeepStrictEqual,
      { shared: "additionalPrinterColumns", own: "additionalPrinterColumns" },
      (columns, path) => columns.flatMap((column, i) => columnCauses(column, entry(path, i))),
    ),
  ];
}

// There is one version of each of our kinds, so that nothing ever calls a webhook.
function conversionCauses(strategy: unknown): Cause[] {
  if (strategy === "None") return [];
  const known = strategy === "Webhook" ? ["None"] : ["None", "Webhook"];
  return [notSupported("spec.conversion.strategy", strategy, known)];
}

function immutableCauses({ spec }: CustomResourceDefinition, old: CustomResourceDefinition): Cause[] {
  const isEstablished = old.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True");
  const fields: readonly (readonly [string, string, string])[] = [
    ...(isEstablished
      ? ([
          ["spec.scope", spec.scope, old.spec.scope],
          ["spec.names.kind", spec.names.kind, old.spec.names.kind],
        ] as const)
      : []),
    ["spec.group", spec.group, old.spec.group],
    ["spec.names.plural", spec.names.plural, old.spec.names.plural],
  ];
  return fields
    .filter(([, now, before]) => now !== before)
    .map(([path, now]) => invalid(path, now, "field is immutable"));
}

/** The versions in which objects may lie in the store, once this CRD is taken. */
export function storedVersions({ spec }: CustomResourceDefinition, old?: CustomResourceDefinition): string[] {
  const before = old?.status?.storedVersions ?? [];
  const now = spec.versions.find(({ storage }) => storage);
  return now && !before.includes(now.name) ? [...before, now.name] : [...before];
}

function storedCauses(stored: readonly string[], versions: readonly CrdVersion[]): Cause[] {
  const path = "status.storedVersions";
  if (stored.length === 0) return [invalid(path, null, "must have at least one stored version")];
  const isTwin = (name: string, i: number) => versions.findIndex((version) => version.name === name) < i;
  return [
    ...versions
      // Each stored version answers for one of its name.
      .filter(({ name, storage }, i) => storage && (!stored.includes(name) || isTwin(name, i)))
      .map(({ name }) => invalid(path, stored, `must have the storage version ${name}`)),
    ...stored.flatMap((name, i) => {
      if (versions.some((version) => version.name === name)) return [];
      const detail =
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions ` +
        `until a storage migration ensures no data remains persisted in ${name} and removes ${name} from ` +
        "status.storedVersions";
      return [invalid(entry(path, i), name, detail)];
    }),
  ];
}
