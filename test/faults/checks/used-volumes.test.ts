import assert from "node:assert/strict";
import { GUARD_VARIABLES } from "@etcd-operator/operator/cluster/guard/variables.ts";
import { ANNOTATIONS } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { test } from "vitest";
import { objectsWritten, type Written } from "./objects-under-test.ts";
import { usedVolumes } from "./used-volumes.ts";

const EMPTY: Written = ["persistentvolumeclaims/a-1", { metadata: {} }];
const USED: Written = ["persistentvolumeclaims/a-1", { metadata: { annotations: { [ANNOTATIONS.memberId]: "b1" } } }];

test("a new member gets a new volume, and a returning one its own", () => {
  assert.deepEqual(usedVolumes(objectsWritten(EMPTY, podThat("joining"), USED).events), []);
  assert.deepEqual(usedVolumes(objectsWritten(USED, podThat("returning")).events), []);
});

test("a new member on the volume of another is reported", () => {
  const told = ["a-1 is new, and was given the volume of member b1"];
  assert.deepEqual(usedVolumes(objectsWritten(USED, podThat("joining")).events), told);
  assert.deepEqual(usedVolumes(objectsWritten(USED, podThat("seed")).events), told);
});

test("a volume that was deleted and made again is a new one", () => {
  const gone: Written = ["persistentvolumeclaims/a-1", undefined];
  assert.deepEqual(usedVolumes(objectsWritten(USED, gone, EMPTY, podThat("joining")).events), []);
});

function podThat(start: string): Written {
  return [
    "pods/a-1",
    { spec: { initContainers: [{ name: "guard", env: [{ name: GUARD_VARIABLES.start, value: start }] }] } },
  ];
}
