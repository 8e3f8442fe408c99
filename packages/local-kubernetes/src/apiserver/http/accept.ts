/** In which form a client wants its answer. */
export type Representation = "object" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "discovery";

/** The first form of an Accept header that this server knows; undefined: it knows none of them. */
export function representationOf(accept: string | undefined): Representation | undefined {
  // As most clients say it, or leave it unsaid.
  return accept === undefined || accept === "application/json" ? "object" : firstKnown(accept);
}

function firstKnown(accept: string): Representation | undefined {
  for (const range of (accept || "*/*").split(",")) {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim());
    if (!JSON_TYPES.has(type)) continue;
    const { as, g, v } = Object.fromEntries(parameters.map((parameter) => parameter.split("=")));
    if (as === undefined) return "object";
    if (as === "APIGroupDiscoveryList" && v === "v2") return "discovery";
    if (g === "meta.k8s.io" && v === "v1" && isTransform(as)) return as;
  }
  return undefined;
}

/** Whether the header names any type that a Kubernetes API server has, in whatever form. */
export function knowsType(accept: string | undefined): boolean {
  const types = (accept || "*/*").split(",").map((range) => range.split(";")[0]?.trim() ?? "");
  return types.some((type) => JSON_TYPES.has(type) || OTHER_TYPES.has(type));
}

const OTHER_TYPES: ReadonlySet<string> = new Set(["application/yaml", "application/vnd.kubernetes.protobuf"]);

const JSON_TYPES: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"]);

function isTransform(as: string): as is "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" {
  return as === "Table" || as === "PartialObjectMetadata" || as === "PartialObjectMetadataList";
}
