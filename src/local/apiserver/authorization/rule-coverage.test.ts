import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { rulesOf } from "./policy-rule.ts";
import { describedRule, missingRights } from "./rule-coverage.ts";

const core = (resources: readonly string[], verbs: readonly string[], resourceNames?: readonly string[]) => ({
  apiGroups: [""],
  resources,
  verbs,
  ...(resourceNames && { resourceNames }),
});

function missing(held: readonly object[], wanted: readonly object[]): string[] {
  return missingRights(rulesOf({ rules: held }), rulesOf({ rules: wanted })).map(describedRule);
}

describe("rights that are held", () => {
  test("may be held in parts", () => {
    const held = [core(["pods"], ["get"]), core(["pods"], ["list"]), core(["services"], ["*"])];
    assert.deepEqual(missing(held, [core(["pods", "services"], ["get", "list"])]), []);
  });

  test("include names and subresources, where they are for all of them", () => {
    const held = [core(["*"], ["get"]), { nonResourceURLs: ["/api/*"], verbs: ["get"] }];
    const wanted = [core(["pods/log"], ["get"], ["a"]), { nonResourceURLs: ["/api/v1"], verbs: ["get"] }];
    assert.deepEqual(missing(held, wanted), []);
  });

  test("of a subresource are not those of what stands behind it", () => {
    assert.deepEqual(missing([core(["pods/proxy"], ["get"])], [core(["pods/proxy/a"], ["get"])]), [
      '{APIGroups:[""], Resources:["pods/proxy/a"], Verbs:["get"]}',
    ]);
    assert.deepEqual(missing([core(["pods/proxy/a"], ["get"])], [core(["pods/proxy/a"], ["get"])]), []);
  });

  test("for names do not include all", () => {
    assert.deepEqual(missing([core(["pods"], ["get"], ["a"])], [core(["pods"], ["get"])]), [
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ]);
  });
});

test("what is missing is told by resource and name, with the verbs together, in order", () => {
  const wanted = [
    { nonResourceURLs: ["/metrics"], verbs: ["get"] },
    core(["pods", "configmaps"], ["get", "list"], ["b", "a"]),
  ];
  assert.deepEqual(missing([core(["pods"], ["get"])], wanted), [
    '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["a"], Verbs:["get" "list"]}',
    '{APIGroups:[""], Resources:["configmaps"], ResourceNames:["b"], Verbs:["get" "list"]}',
    '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["list"]}',
    '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["list"]}',
    '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
  ]);
});
