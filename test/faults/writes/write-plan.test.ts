import assert from "node:assert/strict";
import { test } from "vitest";
import { placeOf, writePlanOf } from "./write-plan.ts";

test("a name shows the workload, the write and what happens to it", () => {
  assert.deepEqual(writePlanOf("create/17-crash-after"), { workload: "create", place: "17", fault: "crash-after" });
  assert.deepEqual(writePlanOf("scale-up/PUT etcdclusters/status:2-lost-answer"), {
    workload: "scale-up",
    place: "PUT etcdclusters/status:2",
    fault: "lost-answer",
  });
});

test("what does not end in a fault is no name of a plan", () => {
  assert.equal(writePlanOf("create/17-struck-by-lightning"), undefined);
  assert.equal(writePlanOf("create"), undefined);
});

test("a write is known by its number, or by which of its kind it is", () => {
  const sent = ["POST pods", "addMember", "POST pods"];
  assert.equal(placeOf("3", sent), 3);
  assert.equal(placeOf("4", sent), undefined);
  assert.equal(placeOf("POST pods:2", sent), 3);
  assert.equal(placeOf("addMember:1", sent), 2);
  assert.equal(placeOf("addMember:2", sent), undefined);
  assert.equal(placeOf("removeMember:1", sent), undefined);
});
