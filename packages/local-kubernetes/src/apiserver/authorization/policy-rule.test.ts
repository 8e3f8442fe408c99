import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { type Attributes, ruleAllows, rulesOf } from "./policy-rule.ts";

function aRule(fields: object) {
  const [rule] = rulesOf({ rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"], ...fields }] });
  assert.ok(rule);
  return rule;
}

function asked(fields: Partial<Extract<Attributes, { kind: "resource" }>> = {}): Attributes {
  const usual = { kind: "resource", verb: "get", group: "", resource: "pods", subresource: "" } as const;
  return { ...usual, namespace: "ns", name: "a", ...fields };
}

describe("a rule on resources", () => {
  test.each<[boolean, string, object, Attributes]>([
    [true, "its verb on its resource", {}, asked()],
    [false, "another verb", {}, asked({ verb: "list" })],
    [false, "another group", {}, asked({ group: "apps" })],
    [false, "a subresource that it does not name", {}, asked({ subresource: "log" })],
    [true, "a subresource that it names", { resources: ["pods/log"] }, asked({ subresource: "log" })],
    [true, "a subresource of everything", { resources: ["*/log"] }, asked({ subresource: "log" })],
    [true, "subresources, where it says everything", { resources: ["*"] }, asked({ subresource: "log" })],
    [false, "a resource of the same name as a subresource", { resources: ["*/log"] }, asked({ resource: "log" })],
    [true, "any verb", { verbs: ["*"] }, asked({ verb: "teleport" })],
    [true, "any group", { apiGroups: ["*"] }, asked({ group: "apps" })],
    [true, "an object that it names", { resourceNames: ["a"] }, asked()],
    [false, "an object that it does not name", { resourceNames: ["b"] }, asked()],
    [false, "no object in particular, where it names some", { resourceNames: ["a"] }, asked({ name: "" })],
    [false, "a path", {}, { kind: "path", verb: "get", path: "/pods" }],
  ])("says %s to %s", (expected, _, fields, attributes) => {
    assert.equal(ruleAllows(aRule(fields), attributes), expected);
  });
});

test.each<[boolean, string, string]>([
  [true, "/version", "/version"],
  [false, "/version", "/version/"],
  [true, "/api/*", "/api/v1"],
  [false, "/api/*", "/api"],
  [true, "*", "/anything"],
])("says %s where a rule for %s is asked about %s", (expected, url, path) => {
  const rule = aRule({ apiGroups: [], resources: [], nonResourceURLs: [url] });
  assert.equal(ruleAllows(rule, { kind: "path", verb: "get", path }), expected);
});
