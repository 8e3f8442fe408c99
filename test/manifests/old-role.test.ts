import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { ClusterRole, PolicyRule } from "kubernetes-types/rbac/v1.d.ts";
import { test } from "vitest";
import { objectOfKind } from "./manifest-files.ts";

/** example/rbac/cluster-role-template.yaml of coreos/etcd-operator v0.9.4. */
const OLD_RULES: readonly PolicyRule[] = [
  { apiGroups: ["etcd.database.coreos.com"], resources: ["etcdclusters", "etcdbackups", "etcdrestores"], verbs: ["*"] },
  { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["*"] },
  { apiGroups: [""], resources: ["pods", "services", "endpoints", "persistentvolumeclaims", "events"], verbs: ["*"] },
  { apiGroups: ["apps"], resources: ["deployments"], verbs: ["*"] },
  { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
];

test("the migration page names each right that the role of coreos/etcd-operator lacks, and no other", () => {
  const { rules = [] } = objectOfKind<ClusterRole>("deploy/rbac/cluster-role.yaml", "ClusterRole");
  const had = new Set(OLD_RULES.flatMap(rightsOf));
  const isNew = (right: string) => !had.has(right) && !had.has(right.replace(/ \S+$/, " *"));
  assert.deepEqual(rightsNamed(), rules.flatMap(rightsOf).filter(isNew).sort());
});

function rightsOf({ apiGroups = [], resources = [], verbs }: PolicyRule): readonly string[] {
  return apiGroups.flatMap((group) => resources.flatMap((name) => verbs.map((verb) => `${group} ${name} ${verb}`)));
}

/** Of the table under its heading. */
function rightsNamed(): readonly string[] {
  const page = readFileSync("docs/migrating-from-coreos.md", "utf8");
  const section = page.split("\n## ").find((part) => part.startsWith("Rights that the old role lacks")) ?? "";
  const rows = section.split("\n").flatMap((line) => (/^\| (`|core)/.test(line) ? [line.split("|").slice(1, 4)] : []));
  const words = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
  return rows
    .flatMap(([group, resources, verbs]) =>
      rightsOf({ apiGroups: [words(group)[0] ?? ""], resources: words(resources), verbs: words(verbs) }),
    )
    .sort();
}
