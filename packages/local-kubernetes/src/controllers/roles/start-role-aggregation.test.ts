import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { ClusterRole, PolicyRule } from "kubernetes-types/rbac/v1.d.ts";
import { test } from "vitest";
import { gatheredRules } from "./start-role-aggregation.ts";

const pods: PolicyRule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };
const nodes: PolicyRule = { apiGroups: [""], resources: ["nodes"], verbs: ["list"] };

function aRole(name: string, part: Partial<ClusterRole> & { labels?: Record<string, string> } = {}) {
  const { labels = {}, ...rest } = part;
  return { metadata: { name, uid: name, resourceVersion: "1", labels }, ...rest } as Stored<ClusterRole>;
}

const all = aRole("all", {
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: "all" } }] },
  labels: { to: "all" },
});

test("a role gathers each rule of the labelled others once, by their names", () => {
  const roles = [
    all,
    aRole("b", { labels: { to: "all" }, rules: [pods] }),
    aRole("a", { labels: { to: "all" }, rules: [nodes, pods] }),
    aRole("c", { labels: { to: "none" }, rules: [{ ...pods, verbs: ["delete"] }] }),
  ];
  assert.deepEqual(gatheredRules(all, roles), [nodes, pods]);
});

test("a role whose parts are all gone has no rules", () => {
  assert.deepEqual(gatheredRules(all, [all]), []);
});
