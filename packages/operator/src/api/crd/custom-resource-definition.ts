import type { CustomResourceDefinition, JSONSchemaProps } from "kubernetes-types/apiextensions/v1.d.ts";
import { GROUP, VERSION } from "../group.ts";
import type { Kind } from "../kinds.ts";
import { structuralSchema } from "./structural-schema.ts";

/** Grows whenever the schemas change, so that an older operator never replaces the CRD of a newer one. */
export const SCHEMA_REVISION_ANNOTATION = `${GROUP}/schema-revision`;
export const SCHEMA_REVISION = 7;

/** The CustomResourceDefinition of one of our kinds. */
export function customResourceDefinition(kind: Kind): CustomResourceDefinition {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${kind.plural}.${GROUP}`,
      annotations: { [SCHEMA_REVISION_ANNOTATION]: String(SCHEMA_REVISION) },
    },
    spec: {
      group: GROUP,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        shortNames: [...kind.shortNames],
        categories: ["all"],
      },
      scope: "Namespaced",
      // Explicit, because CRDs that were created as v1beta1 are stored with `true`.
      preserveUnknownFields: false,
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schemaOf(kind) },
          subresources: { status: {}, ...(kind.scale && { scale: kind.scale }) },
          additionalPrinterColumns: [...kind.columns, AGE],
        },
      ],
    },
  };
}

// The published types do not allow nested schemas; ours are validated by the API server, so the cast is safe.
function schemaOf(kind: Kind): JSONSchemaProps {
  return { description: kind.description, ...structuralSchema(kind.schema) } as JSONSchemaProps;
}

const AGE = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
