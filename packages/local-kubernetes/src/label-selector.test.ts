import assert from "node:assert/strict";
import type { LabelSelector } from "kubernetes-types/meta/v1.d.ts";
import { test } from "vitest";
import { selects } from "./label-selector.ts";

const labels = { app: "db", size: "3" };

test.each<[boolean, LabelSelector | undefined]>([
  [false, undefined],
  [true, {}],
  [true, { matchLabels: { app: "db" } }],
  [false, { matchLabels: { app: "db", tier: "x" } }],
  [true, { matchExpressions: [{ key: "app", operator: "In", values: ["db", "web"] }] }],
  [false, { matchExpressions: [{ key: "app", operator: "NotIn", values: ["db"] }] }],
  [true, { matchExpressions: [{ key: "tier", operator: "NotIn", values: ["db"] }] }],
  [true, { matchExpressions: [{ key: "app", operator: "Exists" }] }],
  [true, { matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] }],
  [true, { matchExpressions: [{ key: "constructor", operator: "DoesNotExist" }] }],
  [true, { matchExpressions: [{ key: "size", operator: "Gt", values: ["2"] }] }],
  [false, { matchExpressions: [{ key: "size", operator: "Lt", values: ["2"] }] }],
  [false, { matchExpressions: [{ key: "size", operator: "Like", values: ["2"] }] }],
])("%s for %j", (expected, selector) => assert.equal(selects(selector, labels), expected));
