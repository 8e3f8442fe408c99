import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  type MemberGiven,
  NOW_MS,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { plan } from "../plan.ts";

/** Since when members have not been healthy. */
function noted(sinceMs: Readonly<Record<string, number>>): EtcdClusterStatus {
  const memberStatus = Object.entries(sinceMs).map(([name, agoMs]) => {
    const notHealthySince = new Date(NOW_MS - agoMs).toISOString();
    return { name, id: name, role: "Follower", health: "Unknown", notHealthySince } as const;
  });
  return { clusterID: CLUSTER_ID, incarnation: 1, memberStatus };
}

function removed(given: ObservationGiven): string | undefined {
  const action = plan(anObservation(given));
  return action.kind === "remove-member" ? `${action.member.name} ${action.because}` : undefined;
}
const three = (third: MemberGiven): MemberGiven[] => [leader("a"), healthy("b"), third];

describe("a member is replaced", () => {
  test("at once when its pod is gone, and its data with it", () => {
    assert.equal(removed({ members: three(gone("c")) }), "c dead");
  });

  test("at once when its pod ended for good, and its data with it", () => {
    assert.equal(removed({ members: three(unknown("c", { pod: { stage: "ended" } })) }), "c dead");
  });

  test("at once when the guard found its volume empty or another member's", () => {
    const pod = { refusal: "data-gone" } as const;
    assert.equal(removed({ members: three(unknown("c", { pod })), claims: true }), "c dead");
  });

  test("when it has not been healthy for as long as the user said", () => {
    const members = three(unhealthy("c"));
    assert.equal(removed({ members, status: noted({ c: 59_000 }) }), undefined);
    assert.equal(removed({ members, status: noted({ c: 60_000 }) }), "c dead");
    const spec = { memberReplacement: { afterSeconds: 600 } };
    assert.equal(removed({ members, spec, status: noted({ c: 599_000 }) }), undefined);
  });

  test("when its old pod's node does not report any more", () => {
    const members = three(unknown("c", { pod: { isTerminating: true } }));
    assert.equal(removed({ members, claims: true, status: noted({ c: 60_000 }) }), "c dead");
  });
});

describe("a member whose database is being defragmented", () => {
  const MINUTE = 60_000;
  const busy = unknown("c", { pod: { answer: { health: "unknown", why: "busy", isDefragmenting: true } } });
  /** Not healthy for an hour, and busy from so long ago until so long ago. */
  const notedBusy = (sinceMs: number, untilMs: number): EtcdClusterStatus => {
    const status = noted({ c: 60 * MINUTE });
    const ago = (ms: number) => new Date(NOW_MS - ms).toISOString();
    const defragmenting = { since: ago(sinceMs), until: ago(untilMs) };
    return { ...status, memberStatus: (status.memberStatus ?? []).map((each) => ({ ...each, defragmenting })) };
  };

  test("is busy and not dead, however long it has been silent", () => {
    assert.equal(removed({ members: three(busy), status: noted({ c: 60 * MINUTE }) }), undefined);
    assert.equal(removed({ members: three(busy), status: notedBusy(29 * MINUTE, 0) }), undefined);
  });

  test("has its full time to start when that has ended", () => {
    const members = three(unknown("c"));
    assert.equal(removed({ members, status: notedBusy(20 * MINUTE, 59_000) }), undefined);
    assert.equal(removed({ members, status: notedBusy(20 * MINUTE, 60_000) }), "c dead");
  });

  test("is replaced when it has been busy for longer than any defragmentation takes", () => {
    assert.equal(removed({ members: three(busy), status: notedBusy(31 * MINUTE, 0) }), "c dead");
  });

  test("is replaced at once when its data is gone for certain", () => {
    const members = three(gone("c"));
    assert.equal(removed({ members, status: notedBusy(MINUTE, 0) }), "c dead");
  });
});

describe("a member is not replaced", () => {
  test("because we have not seen it for a moment", () => {
    assert.equal(removed({ members: three(unknown("c")) }), undefined);
  });

  test("while the kubelet finds it ready, however long we do not reach it", () => {
    const members = three(unknown("c", { pod: { isReady: true } }));
    assert.equal(removed({ members, status: noted({ c: 3_600_000 }) }), undefined);
  });

  test("by an old note, when its pod has been ready since", () => {
    const members = three(unknown("c", { pod: { notReadySinceMs: NOW_MS - 5_000 } }));
    assert.equal(removed({ members, status: noted({ c: 3_600_000 }) }), undefined);
  });

  test("when its volume is there: it comes back", () => {
    assert.equal(removed({ members: three(gone("c")), claims: true }), undefined);
  });

  test("when the healthy rest would not be a majority of what remains", () => {
    // Two of four are up: not even a majority now. Three of five are, and may lose one of the dead, then the other.
    assert.equal(removed({ members: [leader("a"), healthy("b"), gone("c"), gone("d")] }), undefined);
    assert.equal(removed({ members: [leader("a"), healthy("b"), healthy("x"), gone("c"), gone("d")] }), "c dead");
  });

  test("when another client added it and it runs elsewhere", () => {
    const seen = anObservation();
    assert.equal(seen.membership.kind, "confirmed");
    const external = { id: "e", name: "external", peerUrls: ["http://10.9.9.9:2380"], isLearner: false };
    const membership = { kind: "confirmed", members: [...seen.membership.members, external] } as const;
    assert.equal(removed({ size: 4, seen: { membership } }), undefined);
  });
});

describe("of several dead members", () => {
  test("a learner is removed first: it has no vote to lose", () => {
    const members = [leader("a"), healthy("b"), gone("c"), gone("d", { listed: "learner" })];
    assert.equal(removed({ members }), "d dead");
  });

  test("one that lost its data is removed before one that might come back", () => {
    const members = [leader("a"), healthy("b"), healthy("x"), unhealthy("c"), gone("d")];
    assert.equal(removed({ members, status: noted({ c: 60_000 }) }), "d dead");
  });
});

describe("a member that was added and never started", () => {
  test("is removed when it is not declared", () => {
    assert.equal(removed({ members: three(gone("c", { listed: "unstarted-learner" })) }), "c never-started");
  });

  test("is removed when its pod was made from a spec that has been corrected since", () => {
    const memberIntents = [{ name: "c", incarnation: 1, purpose: "Join" }] as const;
    const status = { clusterID: CLUSTER_ID, incarnation: 1, memberIntents: [...memberIntents] };
    const stuck = unknown("c", { listed: "unstarted-learner", pod: { stage: "pending", specHash: "v1:other" } });
    assert.equal(removed({ members: three(stuck), status }), "c never-started");
  });

  test("is waited for while its pod starts", () => {
    const memberIntents = [{ name: "c", incarnation: 1, purpose: "Join" }] as const;
    const status = { clusterID: CLUSTER_ID, incarnation: 1, memberIntents: [...memberIntents] };
    const members = three(unknown("c", { listed: "unstarted-learner", pod: { stage: "pending" } }));
    assert.equal(plan(anObservation({ members, status })).reason, "WaitingForMembers");
  });
});

describe("the member that replaces it", () => {
  const successor = (given: ObservationGiven) => {
    const action = plan(anObservation(given));
    assert.equal(action.kind, "remove-member");
    return action.successor;
  };

  test("is declared together with the removal", () => {
    assert.equal(successor({ members: three(gone("c")) }), "new-1");
  });

  test("is not replaced when the cluster is large enough without it, or a successor is starting already", () => {
    assert.equal(successor({ members: three(gone("c")), size: 2 }), undefined);
    const joining = healthy("d", { listed: "learner", pod: { memberId: "d" }, health: "unhealthy" });
    assert.equal(successor({ members: [...three(gone("c")), joining], size: 4 }), undefined);
  });
});

describe("a member whose pod is being deleted, and its data with it", () => {
  test("is replaced as soon as it does not answer any more", () => {
    assert.equal(removed({ members: three(unknown("c", { pod: { isTerminating: true } })) }), "c dead");
  });

  test("is left alone while it answers, and when its data lies on a volume", () => {
    assert.equal(removed({ members: three(healthy("c", { pod: { isTerminating: true } })) }), undefined);
    const onClaim = three(unknown("c", { pod: { isTerminating: true } }));
    assert.equal(removed({ members: onClaim, claims: true }), undefined);
  });
});

describe("while no member can be started with the certificates", () => {
  const tls = { defects: ["Secret 'peer' is missing"], expiring: [], ca: { peer: "p", server: "s" } };
  const away = { claims: true, status: noted({ c: 3_600_000 }) };

  test("a member whose data is there stays, however late it is: no member could replace it", () => {
    const waiting = { stage: "pending", isEtcdRunning: false, isScheduled: true } as const;
    for (const pod of [waiting, { isTerminating: true }, {}]) {
      assert.equal(removed({ ...away, members: three(unknown("c", { pod })) }), "c dead");
      assert.equal(removed({ ...away, members: three(unknown("c", { pod })), seen: { tls } }), undefined);
    }
  });

  test("a member whose pod is gone gets another on its volume, which waits for the Secret", () => {
    const action = plan(anObservation({ ...away, members: three(gone("c")), seen: { tls } }));
    assert.equal(action.reason, "ReturningMember");
  });

  test("a member whose data is gone is removed, and no member is declared in its place", () => {
    const action = plan(anObservation({ members: three(gone("c")), seen: { tls } }));
    assert.ok(action.kind === "remove-member");
    assert.equal(action.successor, undefined);
  });
});
