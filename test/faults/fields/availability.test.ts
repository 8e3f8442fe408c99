import assert from "node:assert/strict";
import type { Condition } from "@etcd-operator/operator/api/condition.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, test } from "vitest";
import { lacksAvailability } from "./availability.ts";

const having = (size: number, conditions: Condition[]) => ({
  ...anEtcdCluster({ size }),
  status: { size, conditions },
});
const saying = (status: Condition["status"], message = "why", size = 3) =>
  having(size, [{ type: "Available", status, reason: "Because", message }]);

describe("a cluster of three that is edited", () => {
  test("is available at every moment, and says so", () => {
    assert.deepEqual(lacksAvailability(saying("True"), []), []);
    assert.match(lacksAvailability(saying("False"), []).join(), /not available: False, Because: why/);
  });

  test("stays known, where no Secret that the operator needs was removed", () => {
    assert.match(lacksAvailability(saying("Unknown"), []).join(), /not available: Unknown/);
    assert.match(lacksAvailability(having(3, []), []).join(), /not available: absent/);
  });

  test("may be out of sight for want of the operator's own Secret, which has to be what is said", () => {
    const blind = saying("Unknown", "The operator cannot ask any member: Secret 'none-such' does not exist");
    assert.deepEqual(lacksAvailability(blind, ["operator"]), []);
    assert.match(lacksAvailability(blind, ["none-such"]).join(), /not available: Unknown/);
  });

  test("is another matter than one alone, which is away while it is changed", () => {
    assert.deepEqual(lacksAvailability(saying("False", "why", 1), []), []);
  });
});
