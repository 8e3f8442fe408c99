import type { StructuralSchema } from "@etcd-operator/operator/api/crd/structural-schema.ts";
import { type FieldValue, refused, works } from "./field-value.ts";
import type { Property } from "./property.ts";

/**
 * What the schema itself says of a property: every choice, every bound and what lies beyond it, and what is of another
 * type.
 */
export function derivedValues({ schema, isRequired }: Pick<Property, "schema" | "isRequired">): readonly FieldValue[] {
  return [...ofType(schema), ...ofAnotherType(schema), ...(isRequired ? [refused("absent", undefined)] : [])];
}

function ofType(schema: StructuralSchema): readonly FieldValue[] {
  switch (schema.type) {
    case "integer":
      return numbers(schema);
    case "string":
      return schema.enum ? choices(schema.enum) : texts(schema);
    case "boolean":
      return [works("true", true), works("false", false)];
    case "array":
      return lists(schema);
    case "object":
      return blocks(schema);
    default:
      return [];
  }
}

function numbers({ minimum, maximum }: StructuralSchema): readonly FieldValue[] {
  return [
    ...(minimum === undefined ? [] : [works("minimum", minimum), refused("below-minimum", minimum - 1)]),
    ...(maximum === undefined ? [] : [works("maximum", maximum), refused("above-maximum", maximum + 1)]),
    refused("fraction", (minimum ?? 0) + 0.5),
  ];
}

function choices(members: readonly unknown[]): readonly FieldValue[] {
  return [
    ...members.map((member) => works(String(member), member)),
    refused("no-choice", "Sometimes"),
    refused(
      "wrong-case",
      String(members[0]).replace(/^./, (first) => swappedCase(first)),
    ),
  ];
}

function swappedCase(letter: string): string {
  return letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
}

function texts({ minLength = 0, maxLength }: StructuralSchema): readonly FieldValue[] {
  return [
    minLength > 0 ? refused("empty", "") : works("empty", ""),
    ...(maxLength === undefined
      ? []
      : [works("longest", "a".repeat(maxLength)), refused("too-long", "a".repeat(maxLength + 1))]),
  ];
}

function lists({ maxItems, items }: StructuralSchema): readonly FieldValue[] {
  const item = items?.type === "object" ? { name: "a" } : "a";
  const tooMany =
    maxItems === undefined
      ? []
      : [
          refused(
            "too-many",
            Array.from({ length: maxItems + 1 }, () => item),
          ),
        ];
  return [works("empty", []), ...tooMany];
}

function blocks({ required = [], maxProperties }: StructuralSchema): readonly FieldValue[] {
  const entries = Array.from({ length: (maxProperties ?? 0) + 1 }, (_, at) => [`key-${at}`, "a"]);
  return [
    required.length > 0 ? refused("empty", {}) : works("empty", {}),
    ...(maxProperties === undefined ? [] : [refused("too-many", Object.fromEntries(entries))]),
  ];
}

const SAMPLES: readonly (readonly [string, readonly string[], unknown])[] = [
  ["text-instead", ["string"], "text"],
  ["number-instead", ["integer"], 7],
  ["list-instead", ["array"], []],
  ["block-instead", ["object"], {}],
];
const MOST_TYPES = 2;

function ofAnotherType(schema: StructuralSchema): readonly FieldValue[] {
  const own = schema["x-kubernetes-int-or-string"] ? ["integer", "string"] : [schema.type ?? ""];
  const others = SAMPLES.filter(([, types]) => !types.some((type) => own.includes(type)));
  return others.slice(0, MOST_TYPES).map(([name, , value]) => refused(name, value));
}
