import assert from "node:assert/strict";
import {
  anObservation,
  gone,
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { DONE, RUNNING, statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { eventsOf } from "../events.ts";
import { plan } from "../plan.ts";
import { CA_ANNOTATIONS } from "../tls/ca-annotations.ts";

const OLD = "v1:0000000000000000";
const ready = { isReady: true } as const;
const old = (make: typeof healthy, name: string): MemberGiven => make(name, { pod: { ...ready, specHash: OLD } });

/** Reconciles of a cluster, one after the other, with what the planner decides; told is the Events of each. */
function story(...passes: readonly ObservationGiven[]): string[][] {
  let status: EtcdClusterStatus = RUNNING;
  return passes.map((given) => {
    const seen = anObservation({ claims: true, status, ...given });
    const action = plan(seen);
    status = statusOf(seen, action);
    return eventsOf(seen, action, DONE, status).map(({ reason, message }) => `${reason} | ${message}`);
  });
}

const ofRoll = (told: readonly string[]) => told.filter((each) => /Roll|Member|Leader/.test(each));
const well = { members: [leader("a", { pod: ready }), healthy("b", { pod: ready }), healthy("c", { pod: ready })] };

describe("a roll", () => {
  const begun = { members: [old(leader, "a"), old(healthy, "b"), healthy("c", { pod: ready })] };

  test("is reported when it begins, of each member, and when it ends", () => {
    const down = gone("b", { claim: { memberId: "b" } });
    const told = story(
      well,
      begun,
      { members: [old(leader, "a"), down, healthy("c", { pod: ready })] },
      { members: [old(leader, "a"), healthy("b", { pod: ready }), healthy("c", { pod: ready })] },
      { members: [old(healthy, "a"), leader("b", { pod: ready }), healthy("c", { pod: ready })] },
      well,
      well,
    ).map(ofRoll);
    assert.deepEqual(told, [
      [],
      [
        "RolloutStarted | Changing these members one at a time, because they differ from the spec (version 3.5.30): a, b",
        "ChangingMember | Member b gets a new pod on its volume",
      ],
      [],
      ["MovingLeader | Moving leadership from a to b: a is changed next"],
      ["ChangingMember | Member a gets a new pod on its volume"],
      ["RolloutDone | All members run with the current spec"],
      [],
    ]);
  });

  test("begins once, also where it has to wait", () => {
    const waiting = { members: [old(leader, "a"), old(healthy, "b"), gone("c", { claim: { memberId: "c" } })] };
    const [, first, second] = story(well, waiting, waiting).map(ofRoll);
    assert.match(first?.join() ?? "", /RolloutStarted/);
    assert.doesNotMatch(second?.join() ?? "", /Roll/);
  });

  test("names other authorities of the TLS Secrets as its cause", () => {
    const tls = { defects: [], expiring: [], ca: { peer: "p", server: "s" } };
    const startedWith = (peer: string) => {
      const annotations = { [CA_ANNOTATIONS.peer]: peer, [CA_ANNOTATIONS.server]: "s" };
      return { pod: { ...ready, metadata: { labels: {}, annotations, applied: { labels: [], annotations: [] } } } };
    };
    const [old, current] = [startedWith("of-before"), startedWith("p")];
    const [first] = story({ members: [leader("a", old), healthy("b", old), healthy("c", current)], seen: { tls } });
    assert.match(first?.join() ?? "", /RolloutStarted \| .*because the TLS Secrets have other CA certificates: a, b/);
  });

  test("is not reported while spec.paused holds it, nor for members whose claims are deleted", () => {
    const spec = { paused: true, pod: anObservation({ claims: true }).cluster.spec.pod };
    const deleted = { members: [leader("a"), healthy("b", { claim: { isTerminating: true } }), healthy("c")] };
    assert.deepEqual(
      story({ ...begun, spec }, deleted).map((told) => told.filter((each) => /Roll/.test(each))),
      [[], []],
    );
  });
});
