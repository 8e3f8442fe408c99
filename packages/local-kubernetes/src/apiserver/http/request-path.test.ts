import assert from "node:assert/strict";
import { test } from "vitest";
import { parsePath } from "./request-path.ts";

const resource = { kind: "resource", isWatch: false };
const core = { ...resource, group: "", version: "v1" };

test.each([
  ["/api", { kind: "core-versions" }],
  ["/api/v1", { kind: "resources", group: "", version: "v1" }],
  ["/apis", { kind: "groups" }],
  ["/apis/apps", { kind: "group", group: "apps" }],
  ["/apis/apps/v1", { kind: "resources", group: "apps", version: "v1" }],
  ["/api/v1/pods", { ...core, plural: "pods" }],
  ["/api/v1/namespaces", { ...core, plural: "namespaces" }],
  ["/api/v1/namespaces/a", { ...core, plural: "namespaces", name: "a" }],
  ["/api/v1/namespaces/a/finalize", { ...core, plural: "namespaces", name: "a", subresource: "finalize" }],
  ["/api/v1/namespaces/a/status", { ...core, plural: "namespaces", name: "a", subresource: "status" }],
  ["/api/v1/namespaces/a/pods", { ...core, plural: "pods", namespace: "a" }],
  ["/api/v1/namespaces/a/pods/b", { ...core, plural: "pods", namespace: "a", name: "b" }],
  ["/api/v1/namespaces/a/pods/b/log", { ...core, plural: "pods", namespace: "a", name: "b", subresource: "log" }],
  ["/api/v1/nodes/n/status", { ...core, plural: "nodes", name: "n", subresource: "status" }],
  ["/api/v1/watch/pods", { ...core, plural: "pods", isWatch: true }],
  ["/api/v1/watch/namespaces/a/pods/b", { ...core, plural: "pods", namespace: "a", name: "b", isWatch: true }],
  ["/apis/apps/v1/deployments", { ...resource, group: "apps", version: "v1", plural: "deployments" }],
  ["/apis/rbac/v1/roles/a%3Ab", { ...resource, group: "rbac", version: "v1", plural: "roles", name: "a:b" }],
  ["/%61pis/rbac/v1/roles/", { ...resource, group: "rbac", version: "v1", plural: "roles" }],
  ["/", { kind: "other", path: "/" }],
  ["//", { kind: "other", path: "//" }],
  ["//apis/apps/v1/deployments", { kind: "other", path: "//apis/apps/v1/deployments" }],
  ["/api/v1/namespaces//pods", { kind: "other", path: "/api/v1/namespaces//pods" }],
  ["/version", { kind: "other", path: "/version" }],
])("%s", (path, expected) => {
  assert.deepEqual(parsePath(path), expected);
});
