import { customKind } from "./custom-kinds.ts";
import type { Draw } from "./draw.ts";
import type { Json, Request } from "./request.ts";
import { spoiled } from "./spoil.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** CRDs good and bad; none of them stays. */
export function definitionRequests(draw: Draw): Request[] {
  return Array.from({ length: draw.between(6, 10) }, (_, index) => {
    const { crd } = customKind(draw, "@{ns}", index);
    const way = draw.weighted([
      [2, "good"],
      [4, "spoiled"],
      [4, "odd"],
    ] as const);
    const value = way === "good" ? crd : way === "odd" ? oddCrd(draw, crd) : { ...crd, spec: spoiled(draw, crd.spec) };
    return { method: "POST", path: `${CRDS}?dryRun=All`, body: { kind: "json", value } };
  });
}

/** Mistakes that people make in CRDs. */
function oddCrd(draw: Draw, crd: Json): Json {
  const spec = crd.spec as { names: Json; versions: Json[]; group: string };
  const [first = {}, ...others] = spec.versions;
  const withSpec = (change: Json) => ({ ...crd, spec: { ...spec, ...change } });
  const withVersion = (change: Json) => withSpec({ versions: [{ ...first, ...change }, ...others] });
  const withSpecSchema = (schema: Json) =>
    withVersion({ schema: { openAPIV3Schema: { type: "object", properties: { spec: schema } } } });
  return draw.of<() => Json>([
    () => ({ ...crd, metadata: { name: "other.name" } }),
    () => withSpec({ names: { ...spec.names, plural: draw.of(["Widgets", "w_w", "", "-w"]) } }),
    () => withSpec({ names: { ...spec.names, kind: draw.of(["", "lower case", "Widget2"]) } }),
    () =>
      withSpec({ names: { plural: "widgets", kind: "Widget", shortNames: ["w", "W"], categories: ["all", "A b"] } }),
    () => withSpec({ scope: draw.of(["Everywhere", ""]) }),
    () => withSpec({ group: draw.of(["UPPER", "nodots", "-x.com"]) }),
    () => withSpec({ preserveUnknownFields: true }),
    () => withSpec({ conversion: { strategy: draw.of(["None", "Magic"]) } }),
    () => withVersion({ name: draw.of(["V1", "v1", "1", "latest"]) }),
    () => withVersion({ storage: false }),
    () => withVersion({ served: false }),
    () => withVersion({ schema: null }),
    () => withVersion({ deprecationWarning: "gone soon" }),
    () => withVersion({ subresources: { scale: { specReplicasPath: ".size", statusReplicasPath: ".status.size" } } }),
    () => withVersion({ subresources: { scale: {} } }),
    () =>
      withVersion({
        additionalPrinterColumns: [
          { name: "A", type: "text", jsonPath: "spec" },
          { name: "", type: "date", jsonPath: "" },
        ],
      }),
    () => withSpec({ versions: [first, first] }),
    () => withSpec({ versions: [] }),
    () => withSpecSchema(draw.of(ODD_SCHEMAS)),
    () => withSpecSchema(draw.of(ODD_SCHEMAS)),
    () => withSpecSchema(draw.of(ODD_SCHEMAS)),
  ])();
}

const rule = (rule: string, more: Json = {}): Json => ({
  type: "object",
  properties: { a: { type: "string", maxLength: 9 }, n: { type: "integer" } },
  "x-kubernetes-validations": [{ rule, ...more }],
});

const ODD_SCHEMAS: readonly Json[] = [
  {},
  { type: "text" },
  { type: "array" },
  { type: "array", items: [{ type: "string" }] },
  { type: "object", properties: { a: {} } },
  { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } },
  { type: "object", additionalProperties: false },
  { type: "object", properties: { a: { type: "string", default: 1 } } },
  { type: "object", properties: { a: { type: "integer", minimum: 3, default: 1 } } },
  { type: "object", properties: { a: { type: "string", pattern: "(" } } },
  { type: "object", properties: { a: { type: "array", uniqueItems: true, items: { type: "string" } } } },
  { type: "object", properties: { a: { $ref: "#/x" } } },
  { type: "object", properties: { a: { type: "string", nullable: true, default: null } } },
  { type: "object", properties: { a: { type: "string", default: null } } },
  { type: "object", anyOf: [{ type: "object" }] },
  { type: "object", oneOf: [{ properties: { a: { minimum: 1 } } }] },
  { type: "object", "x-kubernetes-embedded-resource": true },
  { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  { type: "string", "x-kubernetes-int-or-string": true },
  { type: "object", "x-kubernetes-preserve-unknown-fields": false },
  { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "map" },
  { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "bag" },
  {
    type: "array",
    items: { type: "object", properties: { k: { type: "string" } } },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
  },
  {
    type: "array",
    items: { type: "object", properties: { k: { type: "string" } }, required: ["k"] },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["z"],
  },
  { type: "array", items: { type: "object", properties: { k: { type: "string" } } }, "x-kubernetes-list-type": "set" },
  { type: "object", "x-kubernetes-map-type": "odd" },
  rule("self.b == 1"),
  rule("self.a"),
  rule("self.a + 1 == 2"),
  rule("self.n > 'x'"),
  rule("has(self.a) && self.a.size() > 1", { message: "" }),
  rule("self.a == 'x'", { message: "two\nlines" }),
  rule("self.a == 'x'", { reason: "Because" }),
  rule("self.a == 'x'", { fieldPath: ".b" }),
  rule("self.a == 'x'", { fieldPath: ".a" }),
  rule("self.a == oldSelf.a", { optionalOldSelf: true }),
  rule("self.a == 'x'", { messageExpression: "1" }),
  rule("self.a == 'x'", { messageExpression: "self.b" }),
  rule("self.a =="),
  rule(""),
  rule("true"),
  rule("self.a.matches('(')"),
  rule("self.nothing()"),
  rule("unknown == 1"),
];
