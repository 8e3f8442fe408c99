/** In which form a client wants its answer. */
export type Representation = "object" | "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" | "discovery";

/** The first form of an Accept header that this server knows; undefined: it knows none of them. */
export function representationOf(accept: string | undefined): Representation | undefined {
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

const JSON_TYPES: ReadonlySet<string> = new Set(["application/json", "application/*", "*/*"]);

function isTransform(as: string): as is "Table" | "PartialObjectMetadata" | "PartialObjectMetadataList" {
  return as === "Table" || as === "PartialObjectMetadata" || as === "PartialObjectMetadataList";
}
