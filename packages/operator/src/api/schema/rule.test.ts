import assert from "node:assert/strict";
import { describe, test } from "vitest";
import * as z from "zod";
import { structuralSchema } from "../crd/structural-schema.ts";
import { matching, refusing, withRules } from "./rule.ts";

const lower = withRules(z.string(), [matching("^[a-z]+$", "'{}' isn't lower case: write 'abc'")]);

describe("rules", () => {
  test("a broken rule says what the value was", () => {
    const [issue] = lower.safeParse("ABC").error?.issues ?? [];
    assert.equal(issue?.message, "'ABC' isn't lower case: write 'abc'");
  });

  test("a line break in the value is written out, as the API server takes no message of two lines", () => {
    const [issue] = lower.safeParse("A\nB").error?.issues ?? [];
    assert.equal(issue?.message, String.raw`'A\nB' isn't lower case: write 'abc'`);
  });

  test("a rule that holds says nothing", () => {
    assert.equal(lower.parse("abc"), "abc");
    assert.equal(withRules(z.string(), [refusing("^/", "'{}' begins with '/'")]).parse("a/b"), "a/b");
  });

  test("the CRD carries the rule in CEL, with the value in its message", () => {
    assert.deepEqual(structuralSchema(lower)["x-kubernetes-validations"], [
      {
        rule: "self.matches(r'^[a-z]+$')",
        message: "'…' isn't lower case: write 'abc'",
        messageExpression: String.raw`'\'' + self.replace('\n', '\\n') + '\' isn\'t lower case: write \'abc\''`,
      },
    ]);
  });

  test("a rule survives a description, a default and being optional", () => {
    const schema = z.object({ a: lower.optional().describe("A."), b: lower.default("x").describe("B.") });
    const { a, b } = structuralSchema(schema).properties ?? {};
    assert.equal(a?.["x-kubernetes-validations"]?.length, 1);
    assert.equal(b?.["x-kubernetes-validations"]?.length, 1);
    assert.deepEqual([b?.default, b?.description], ["x", "B."]);
  });
});
