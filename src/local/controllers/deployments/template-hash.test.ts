import assert from "node:assert/strict";
import { test } from "vitest";
import { isSameTemplate, templateHash } from "./template-hash.ts";

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "main", image: "a" }] } };
const other = { ...template, spec: { containers: [{ name: "main", image: "b" }] } };

test("a hash is short, the same for the same template in any order, and another for another", () => {
  const reordered = { spec: { containers: [{ image: "a", name: "main" }] }, metadata: { labels: { app: "web" } } };
  assert.match(templateHash(template), /^[bcdfghjklmnpqrstvwxz2456789]{1,10}$/);
  assert.equal(templateHash(reordered), templateHash(template));
  assert.notEqual(templateHash(other), templateHash(template));
});

test("a collision leads to another hash for the same template", () => {
  assert.notEqual(templateHash(template, 1), templateHash(template));
});

test("templates are compared without the label that carries their hash", () => {
  const labelled = { ...template, metadata: { labels: { app: "web", "pod-template-hash": "x" } } };
  assert.ok(isSameTemplate(template, labelled));
  assert.ok(!isSameTemplate(template, other));
});
