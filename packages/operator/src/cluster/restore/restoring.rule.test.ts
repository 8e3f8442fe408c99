import assert from "node:assert/strict";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { describe, test } from "vitest";
import { activeRestore, isSetAside, nextIncarnation, undecidedRestore } from "./restoring.rule.ts";

describe("what is set aside", () => {
  test.each(["Fencing", "Restoring", "Joining", "RollingBack"] as const)(
    "while a restore is %s is all of the previous cluster",
    (state) => {
      const status = inRestore(state);
      assert.equal(isSetAside({ incarnation: 1 }, status), true);
      assert.equal(isSetAside({ incarnation: 2 }, status), false);
      assert.equal(isSetAside({ incarnation: 3 }, status), false);
    },
  );

  test("is what coreos/etcd-operator made, which has no incarnation", () => {
    const { restore } = inRestore("Fencing");
    assert.ok(restore);
    assert.equal(isSetAside({ incarnation: undefined }, { restore: { ...restore, incarnation: 1 } }), true);
  });

  test.each(["Done", "RolledBack"] as const)("is nothing once a restore is %s, or without one", (state) => {
    assert.equal(isSetAside({ incarnation: 1 }, inRestore(state)), false);
    assert.equal(isSetAside({ incarnation: undefined }, {}), false);
    assert.equal(activeRestore(inRestore(state)), undefined);
  });
});

test("a restore can be cancelled until its cluster is recorded", () => {
  const undecided = (["Fencing", "Restoring", "Joining", "Done", "RollingBack", "RolledBack"] as const).filter(
    (state) => undecidedRestore(inRestore(state)),
  );
  assert.deepEqual(undecided, ["Fencing", "Restoring"]);
});

describe("the next incarnation", () => {
  test("is the first for a new cluster, and counts on", () => {
    assert.equal(nextIncarnation({}), 1);
    assert.equal(nextIncarnation({ incarnation: 4 }), 5);
  });

  test("of a restore is the one that was set apart for it, and the one after for its second attempt", () => {
    assert.equal(nextIncarnation(inRestore("Fencing")), 2);
    assert.equal(nextIncarnation(inRestore("Restoring", { incarnation: 2 })), 3);
  });

  test("is never one that a restore which was cancelled has used", () => {
    const { restore } = inRestore("RolledBack");
    assert.ok(restore);
    assert.equal(nextIncarnation({ incarnation: 1, restore: { ...restore, incarnation: 4 } }), 5);
  });

  test("is beyond whatever is there, after a status was lost", () => {
    assert.equal(nextIncarnation({}, [{ incarnation: 3 }, { incarnation: undefined }]), 4);
  });
});
