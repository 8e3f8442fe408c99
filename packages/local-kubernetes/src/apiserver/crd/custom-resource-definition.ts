import type { JsonObject, Schema } from "./schema.ts";

/** A CustomResourceDefinition, as far as the API server looks into it. */
export interface CustomResourceDefinition {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: JsonObject & { readonly name?: string };
  readonly spec: CrdSpec;
  readonly status?: CrdStatus;
}

export interface CrdSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: CrdNames;
  readonly versions: readonly CrdVersion[];
  readonly preserveUnknownFields?: boolean;
  readonly conversion?: JsonObject;
}

export interface CrdNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
  readonly subresources?: { readonly status?: JsonObject; readonly scale?: ScaleSubresource };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
}

export interface ScaleSubresource {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

export interface CrdStatus {
  readonly conditions?: readonly CrdCondition[];
  readonly acceptedNames?: Partial<CrdNames>;
  readonly storedVersions?: readonly string[];
}

export interface CrdCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** What the API server fills in before it looks at a CRD, so that no part of it is missing. */
export function withCrdDefaults(crd: CustomResourceDefinition): CustomResourceDefinition {
  const spec: Partial<CrdSpec> = crd.spec ?? {};
  const { plural = "", kind = "", ...names }: Partial<CrdNames> = spec.names ?? {};
  return {
    ...crd,
    spec: {
      group: "",
      scope: "",
      ...spec,
      names: {
        ...names,
        plural,
        kind,
        singular: names.singular || kind.toLowerCase(),
        listKind: names.listKind || (kind && `${kind}List`),
      },
      versions: spec.versions ?? [],
      conversion: spec.conversion ?? { strategy: "None" },
    },
  };
}
