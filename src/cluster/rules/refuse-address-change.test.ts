import assert from "node:assert/strict";
import { test } from "vitest";
import { STATIC_TLS } from "../../../test/support/cluster/an-etcd-cluster.ts";
import { anObservation, gone, healthy, leader } from "../../../test/support/cluster/an-observation.ts";
import { plan } from "../plan.ts";

const before = anObservation({ members: [leader("a"), healthy("b"), gone("c")], claims: true });

test.each([
  ["TLS between members", { TLS: STATIC_TLS }],
  ["another domain", { pod: { ClusterDomain: "cluster.local" } }],
])("a spec with %s is not followed under members that know each other otherwise", (_, spec) => {
  const { cluster } = anObservation({ spec });
  const action = plan({ ...before, cluster });
  assert.deepEqual([action.kind, action.reason], ["hold", "AddressesChanged"]);
  assert.match(action.message, /gives a, b, c other peer addresses/);
});

test("a cluster that was made that way is looked after", () => {
  const spec = { TLS: STATIC_TLS };
  assert.equal(plan(anObservation({ spec })).kind, "none");
});
