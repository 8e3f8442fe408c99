import { describe, expect, test } from "vitest";
import { customKind } from "../../custom-kind.ts";
import { expectCode, scopeOf } from "../../scope.ts";
import type { ConformanceTarget } from "../../target.ts";

const schema = {
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", maximum: 9 },
        minimum: { type: "integer" },
        name: {
          type: "string",
          maxLength: 20,
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "the name cannot be changed" }],
        },
        quiet: { type: "string", maxLength: 9, "x-kubernetes-validations": [{ rule: "self != 'no'" }] },
        version: {
          type: "string",
          maxLength: 20,
          "x-kubernetes-validations": [
            {
              rule: "self.matches('^3\\\\.[0-9]+$')",
              messageExpression: "'version ' + self + ' is not one of 3'",
              reason: "FieldValueForbidden",
            },
          ],
        },
        ports: {
          type: "array",
          maxItems: 5,
          items: { type: "object", properties: { port: { type: "integer" }, name: { type: "string", maxLength: 9 } } },
          "x-kubernetes-validations": [
            { rule: "self.all(p, p.port > 0)", message: "ports must be positive" },
            { rule: "self.exists_one(p, has(p.name) && p.name == 'client')", message: "there must be one client port" },
          ],
        },
        labels: {
          type: "object",
          maxProperties: 5,
          additionalProperties: { type: "string", maxLength: 9 },
          "x-kubernetes-validations": [
            { rule: "self.all(key, key.startsWith('x-'))", message: "keys must start with x-" },
            { rule: "!('x-tier' in self) || self['x-tier'] in ['a', 'b']", message: "the tier is a or b" },
          ],
        },
        wait: {
          type: "string",
          maxLength: 9,
          "x-kubernetes-validations": [{ rule: "duration(self) >= duration('1s')" }],
        },
        port: {
          "x-kubernetes-int-or-string": true,
          "x-kubernetes-validations": [{ rule: "type(self) == int ? self > 0 : self.size() > 0", message: "no port" }],
        },
        source: {
          type: "object",
          properties: { left: { type: "string", maxLength: 9 }, right: { type: "string", maxLength: 9 } },
          "x-kubernetes-validations": [
            { rule: "has(self.left) != has(self.right)", message: "exactly one of left and right", fieldPath: ".left" },
          ],
        },
      },
      "x-kubernetes-validations": [
        {
          rule: "!has(self.minimum) || !has(self.size) || self.size >= self.minimum",
          message: "size is below minimum",
        },
        { rule: "!has(oldSelf.size) || has(self.size)", message: "size cannot be removed" },
      ],
    },
  },
  "x-kubernetes-validations": [{ rule: "self.metadata.name != 'forbidden'", message: "this name is not for widgets" }],
};

const refusals: readonly (readonly [what: string, spec: object, field: string, message: string])[] = [
  ["a rule over two fields", { size: 1, minimum: 2 }, "spec", "size is below minimum"],
  ["a rule without a message tells the rule", { quiet: "no" }, "spec.quiet", "failed rule: self != 'no'"],
  [
    "a rule over every item of a list",
    { ports: [{ port: 0, name: "client" }] },
    "spec.ports",
    "ports must be positive",
  ],
  ["a rule with has() and exists_one()", { ports: [{ port: 1 }] }, "spec.ports", "there must be one client port"],
  ["a rule over the keys of a map", { labels: { y: "1" } }, "spec.labels", "keys must start with x-"],
  ["a rule over a value of a map", { labels: { "x-tier": "c" } }, "spec.labels", "the tier is a or b"],
  ["a rule over a duration", { wait: "10ms" }, "spec.wait", "failed rule: duration(self) >= duration('1s')"],
  ["a rule over an int-or-string", { port: 0 }, "spec.port", "no port"],
  ["a rule with a fieldPath tells that path", { source: {} }, "spec.source.left", "exactly one of left and right"],
];

export function crdRuleCases(target: () => ConformanceTarget): void {
  describe("CEL rules of custom resources", () => {
    const at = scopeOf(target);
    const kind = customKind(target, { schema });
    const post = (spec: object, name = "w") =>
      at().rest("POST", `${at().path(kind.resource)}?dryRun=All`, kind.widget(name, { spec }));
    const patch = (name: string, spec: object) => at().rest("PATCH", at().path(kind.resource, name), { spec });

    test.each(refusals)("%s: %j is refused at %s", async (_, spec, field, message) => {
      const { code, body } = await post(spec);
      expect(code).toBe(422);
      const { causes } = body.details as { causes: { field: string; reason: string; message: string }[] };
      expect(causes.map(({ field, reason }) => ({ field, reason }))).toEqual([{ field, reason: "FieldValueInvalid" }]);
      expect(causes[0]?.message.endsWith(`: ${message}`), causes[0]?.message).toBe(true);
      expect(body.message).toBe(`Widget.${kind.group} "w" is invalid: ${field}: ${causes[0]?.message}`);
    });

    test.each([
      [{ quiet: "no" }, 'spec.quiet: Invalid value: "string": failed rule'],
      [{ ports: [] }, 'spec.ports: Invalid value: "array": there must be'],
      [{ labels: { y: "1" } }, 'spec.labels: Invalid value: "object": keys must'],
    ])("%j is quoted by its type, not its value", async (spec, message) => {
      expect((await post(spec)).body.message).toContain(message);
    });

    test("what satisfies every rule is taken", async () => {
      const spec = {
        size: 3,
        minimum: 1,
        version: "3.5",
        wait: "2s",
        port: "http",
        ports: [{ port: 2379, name: "client" }, { port: 2380 }],
        labels: { "x-tier": "a" },
        source: { right: "r" },
      };
      expect(expectCode(201, await post(spec)).spec).toEqual(spec);
    });

    test("a rule is not asked about a field that is not there", async () => {
      expectCode(201, await post({}));
    });

    test("messageExpression and reason make the cause", async () => {
      const { body } = await post({ version: "2.3" });
      expect(body).toMatchObject({
        details: { causes: [{ reason: "FieldValueForbidden", field: "spec.version" }] },
      });
      expect(body.message).toContain("spec.version: Forbidden: version 2.3 is not one of 3");
    });

    test("a rule at the root may ask for metadata.name", async () => {
      const { code, body } = await post({}, "forbidden");
      expect(code).toBe(422);
      expect(body.message).toContain("this name is not for widgets");
    });

    test("a rule with oldSelf holds for changes only, and not where the field was not there before", async () => {
      await at().create(kind.resource, kind.widget("named", { spec: {} }));
      expectCode(200, await patch("named", { name: "first" }));
      const { code, body } = await patch("named", { name: "second" });
      expect(code).toBe(422);
      expect(body.message).toContain('spec.name: Invalid value: "string": the name cannot be changed');
      expectCode(200, await patch("named", { name: null }));
    });

    test("a rule with oldSelf on the parent sees that a field was removed", async () => {
      await at().create(kind.resource, kind.widget("sized", { spec: { size: 3 } }));
      const { code, body } = await patch("sized", { size: null });
      expect(code).toBe(422);
      expect(body.message).toContain("size cannot be removed");
    });

    test("rules are told beside other errors, as far as the values allow", async () => {
      const { body } = await post({ size: 99, quiet: "no" });
      expect(body.message).toContain(
        "spec.size: Invalid value: 99: spec.size in body should be less than or equal to 9",
      );
    });
  });
}
