import assert from "node:assert/strict";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { test } from "vitest";
import type { Stored } from "../requests/kube-object.ts";
import { compactObject } from "./compact-object.ts";

const managedFields = [{ manager: "etcd-operator", operation: "Update" }];
const cluster = anEtcdCluster();

/** As it comes from the API server: text. */
function received(member: string): Stored<Pod> {
  return JSON.parse(JSON.stringify(aMemberPod(cluster, { member, metadata: { managedFields } })));
}

test("pods are kept without managed fields, and say otherwise what they said", () => {
  const [a, b] = ["example-a", "example-b"].map((member) => {
    const { managedFields: _, ...metadata } = received(member).metadata;
    return { ...received(member), metadata };
  });
  const kept = compactObject(received("example-a"), undefined);
  assert.deepEqual(kept, a);
  assert.deepEqual(compactObject(received("example-b"), kept), b);
  assert.deepEqual(kept, a);
});

test("of a thousand pods that are alike, most is kept once", () => {
  const kept: Stored<Pod>[] = [];
  for (let index = 0; index < 1_000; index += 1) kept.push(compactObject(received(`example-${index}`), kept.at(-1)));
  const seen = new Set<unknown>();
  const [all, distinct] = [
    countOf(received("example-0")) * 1_000,
    kept.reduce((sum, pod) => sum + countOf(pod, seen), 0),
  ];
  assert.ok(distinct < all / 4, `${distinct} of ${all} objects and lists are kept`);
});

/** Objects and lists in a value, without those that were counted before. */
function countOf(value: unknown, seen = new Set<unknown>()): number {
  if (typeof value !== "object" || value === null || seen.has(value)) return 0;
  seen.add(value);
  return Object.values(value).reduce<number>((sum, part) => sum + countOf(part, seen), 1);
}
