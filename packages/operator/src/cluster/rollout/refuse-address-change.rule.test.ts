import assert from "node:assert/strict";
import { STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { anObservation, gone, healthy, leader } from "@etcd-operator/testing/cluster/an-observation.ts";
import { test } from "vitest";
import { plan } from "../plan.ts";

const before = anObservation({ members: [leader("a"), healthy("b"), gone("c")], claims: true });

test("a spec with another domain is not followed under members that know each other otherwise", () => {
  const { cluster } = anObservation({ spec: { pod: { ClusterDomain: "cluster.local" } } });
  const action = plan({ ...before, cluster });
  assert.deepEqual([action.kind, action.reason], ["hold", "AddressesChanged"]);
  assert.match(action.message, /changes the peer addresses of running members \(a, b, c\)/);
});

test("a spec with TLS between members is not followed either; pods whose flags are known give the better reason", () => {
  const { cluster } = anObservation({ spec: { TLS: STATIC_TLS } });
  assert.equal(plan({ ...before, cluster }).reason, "TlsSwitchRefused");
  const pods = before.pods.map((pod) => ({ ...pod, flags: [] }));
  assert.equal(plan({ ...before, cluster, pods }).reason, "AddressesChanged");
});

test("a cluster that was made that way is looked after", () => {
  const spec = { TLS: STATIC_TLS };
  assert.equal(plan(anObservation({ spec })).kind, "none");
});
