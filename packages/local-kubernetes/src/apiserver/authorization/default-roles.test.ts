import assert from "node:assert/strict";
import { test } from "vitest";
import { DEFAULT_BINDINGS, DEFAULT_ROLES, roleObject } from "./default-roles.ts";

test("every default binding is to a default role, and every gathered role has parts", () => {
  const names = DEFAULT_ROLES.map(({ name }) => name);
  assert.deepEqual(
    Object.keys(DEFAULT_BINDINGS).filter((name) => !names.includes(name)),
    [],
  );
  const parts = new Set(DEFAULT_ROLES.map(({ partOf }) => partOf));
  for (const { name, isGathered } of DEFAULT_ROLES) if (isGathered) assert.ok(parts.has(name), name);
});

test("a part of a role carries the label by which it is gathered", () => {
  const role = roleObject({ name: "part", partOf: "view", rules: [] });
  assert.deepEqual(role.metadata, {
    name: "part",
    annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
    labels: {
      "kubernetes.io/bootstrapping": "rbac-defaults",
      "rbac.authorization.k8s.io/aggregate-to-view": "true",
    },
  });
});
