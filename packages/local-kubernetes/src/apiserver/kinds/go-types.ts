import type { FieldType, Scalar } from "./type-table.ts";

/** Where a value stands: the struct around it, and the path from the root. */
export interface Place {
  readonly owner: string;
  /** With places in lists and keys of maps. */
  readonly path: string;
  /** Of fields alone. */
  readonly goPath: string;
}

export type ScalarType = { readonly kind: Scalar };

/** What Go calls a struct that shares its name with one of another group. */
export function goName(name: string): string {
  return name.replace(/^Slice(?=E)/, "");
}

/** What Go calls a type; users of kubectl read it in complaints about wrong ones. */
export function goType(type: FieldType): string {
  switch (type.kind) {
    case "struct":
      return `v1.${goName(type.name)}`;
    case "list":
      if (type.goName !== undefined) return type.goName;
      return type.of.kind === "struct" && type.of.name === "ValidationRule"
        ? "v1.ValidationRules"
        : `[]${goType(type.of)}`;
    case "map":
      return type.of.kind === "quantity" ? "v1.ResourceList" : `map[string]${goType(type.of)}`;
    case "int":
      return "int32";
    case "number":
      return "float64";
    case "bytes":
      return "[]uint8";
    case "any":
      return "interface {}";
    default:
      return type.kind;
  }
}

// Of the whole numbers of the API these are the wide ones.
const WIDE: ReadonlySet<string> = new Set([
  ...["generation", "observedGeneration", "deletionGracePeriodSeconds", "gracePeriodSeconds", "expirationSeconds"],
  ...[
    "terminationGracePeriodSeconds",
    "activeDeadlineSeconds",
    "startingDeadlineSeconds",
    "tolerationSeconds",
    "seconds",
  ],
  ...["runAsUser", "runAsGroup", "fsGroup", "supplementalGroups", "sizeBytes"],
  ...["maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties"],
]);

export function kindOfNumber({ kind }: ScalarType, { goPath }: Place): "int32" | "int64" | "float64" {
  if (kind === "number") return "float64";
  return WIDE.has(goPath.split(".").at(-1) ?? "") ? "int64" : "int32";
}

export function fitsInteger(value: number, kind: "int32" | "int64" | "float64"): boolean {
  const limit = kind === "int32" ? 2 ** 31 : 2 ** 63;
  return Number.isInteger(value) && value >= -limit && value < limit;
}

/** What Go's decoder calls a value of JSON. */
export function goKind(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return value === null ? "null" : typeof value;
}

/** What a null leaves behind where something has to be. */
export function zeroOf(type: FieldType): unknown {
  switch (type.kind) {
    case "struct":
      return {};
    case "int":
    case "number":
    case "intOrString":
      return 0;
    case "bool":
      return false;
    case "list":
    case "map":
    case "any":
    case "time":
    case "microTime":
      return null;
    case "quantity":
      return "0";
    default:
      return "";
  }
}

const BASE64_LETTER = /[A-Za-z0-9+/]/;

/** The first byte that does not belong into base64, as Go counts it. */
export function badByteOf(text: string): number {
  const letters = [...text].filter((letter) => letter !== "\n" && letter !== "\r");
  const wrong = letters.findIndex((letter) => !BASE64_LETTER.test(letter) && letter !== "=");
  return wrong >= 0 ? wrong : letters.length - (letters.length % 4 === 0 ? 1 : letters.length % 4);
}
