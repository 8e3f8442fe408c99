import assert from "node:assert/strict";
import { compileExpression } from "@etcd-operator/local-kubernetes/apiserver/crd/cel/expression.ts";
import { kubernetesCel } from "@etcd-operator/local-kubernetes/apiserver/crd/cel/library.ts";
import { test } from "vitest";
import { celDigits } from "./cel-digits.ts";

test("a number is written out in CEL as it is in JavaScript", () => {
  const written = compileExpression(kubernetesCel().registerVariable("n", "int"), celDigits("n", 50_000));
  for (const n of [0, 5, 9, 10, 99, 100, 499, 1000, 2030, 20_304, 49_999, 50_000]) {
    assert.equal(written.evaluate({ n: BigInt(n) }), String(n));
  }
});

test("no number is converted as a whole: the API server takes its length as unbounded", () => {
  assert.doesNotMatch(celDigits("self.n", 50_000), /(?<!sub)string\(/);
});
