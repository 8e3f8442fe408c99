import assert from "node:assert/strict";
import { anObservation, CLUSTER_ID, healthy, unknown } from "@etcd-operator/testing/cluster/an-observation.ts";
import { RUNNING, statusOf, verdictIn } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { Observation } from "../model/observation.ts";

const DEFECT = "Secret 'operator', key 'etcd-client.crt': expired";
const tls = { defects: [DEFECT], expiring: [], ca: { peer: undefined, server: undefined } };
const LONG_LOST = { ...RUNNING, clusterID: CLUSTER_ID, incarnation: 1 };

/** No member responds; the kubelets report so many of three as ready. */
function unseen(ready: number, more: Partial<Observation> = {}): Observation {
  const members = ["a", "b", "c"].map((name, index) => unknown(name, { pod: { isReady: index < ready } }));
  return { ...anObservation({ members, membership: "unknown", status: LONG_LOST }), ...more };
}

describe("an operator whose certificate is no good", () => {
  test("reports that it does not know, while the kubelets find a majority ready", () => {
    const status = statusOf(unseen(2, { tls }));
    assert.deepEqual(
      [verdictIn(status, "Available"), verdictIn(status, "QuorumLost")],
      ["Unknown MembersUnreachable", "Unknown MembersUnreachable"],
    );
    assert.match(
      JSON.stringify(status.conditions),
      /report 2 of 3 as ready: Secret 'operator', key 'etcd-client\.crt': expired/,
    );
  });

  test("and one that is no user of an etcd that has users", () => {
    const seen = unseen(3);
    const refusing = { health: "unknown", why: "user name is empty", isForUsers: true } as const;
    const status = statusOf({ ...seen, pods: seen.pods.map((pod) => ({ ...pod, answer: refusing })) });
    assert.equal(verdictIn(status, "QuorumLost"), "Unknown MembersUnreachable");
    assert.match(JSON.stringify(status.conditions), /responds to its users only; disable it/);
  });

  test("does not excuse a majority that is not ready, nor silence without a cause of its own", () => {
    assert.match(verdictIn(statusOf(unseen(1, { tls })), "Available"), /^False/);
    assert.match(verdictIn(statusOf(unseen(3)), "Available"), /^False/);
  });

  test("is not blind while a member responds", () => {
    const members = [healthy("a"), unknown("b", { pod: { isReady: true } }), unknown("c", { pod: { isReady: true } })];
    const seen = { ...anObservation({ members, membership: "unknown", status: LONG_LOST }), tls };
    assert.match(verdictIn(statusOf(seen), "Available"), /^False/);
  });
});
