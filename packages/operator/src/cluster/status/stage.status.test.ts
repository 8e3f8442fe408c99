import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { edited } from "@etcd-operator/testing/cluster/at-version.ts";
import {
  conditionIn,
  DONE,
  POSTPONED,
  RUNNING,
  statusAfterPasses,
  statusOf,
  verdictIn,
} from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const three = [leader("a"), healthy("b"), healthy("c")];
const NEW = { clusterID: CLUSTER_ID, incarnation: 1, phase: "Creating" } as const;
const NOT_READY = { pod: { isReady: false } };
const RESTORE = { name: "r", uid: "u", incarnation: 2, revision: 7 } as const;
const alarm = (kind: "no-space" | "corrupt") => ({ seen: { alarms: [{ memberId: "b", kind }] } });

/** "Rolling 0/3: Ready False, Progressing True, Stalled False; RollingOut" */
function told(seen: ReturnType<typeof anObservation>): string {
  const status = statusOf(seen);
  const [ready, progressing, stalled] = ["Ready", "Progressing", "Stalled"].map((type) => conditionIn(status, type));
  return `${status.state}: ${ready?.status} ${progressing?.status} ${stalled?.status} ${ready?.reason}`;
}

/** Each member has served. */
const SERVED = statusOf(anObservation());

describe("the state of a cluster, and whether it is Ready, Progressing, Stalled:", () => {
  const cases: [what: string, given: ObservationGiven, told: string][] = [
    ["every member serves and matches the spec", {}, "Ready: True False False AsSpecified"],
    [
      "the first member has yet to serve",
      { status: NEW, members: [leader("a", NOT_READY)] },
      "Creating: False True False Creating",
    ],
    ["one of three serves", { status: NEW, members: [leader("a")], size: 3 }, "Scaling: False True False Scaling"],
    ["more members are asked for", { size: 5 }, "Scaling: False True False Scaling"],
    ["fewer members are asked for", { size: 1 }, "Scaling: False True False Scaling"],
    [
      "the last one is still a learner",
      { members: [leader("a"), healthy("b"), healthy("c", { listed: "learner" })], size: 3 },
      "Scaling: False True False Scaling",
    ],
    [
      "one more is a learner",
      { members: [...three, healthy("d", { listed: "learner" })], size: 3 },
      "Scaling: False True False MemberJoining",
    ],
    [
      "a member is gone with its data",
      { members: [leader("a"), healthy("b"), gone("c")] },
      "Degraded: False True False MemberNotHealthy",
    ],
    [
      "a member does not answer",
      { members: [leader("a"), healthy("b"), unhealthy("c")] },
      "Degraded: False True False MemberNotHealthy",
    ],
    [
      "a member is healthy, but gets no clients any more",
      { status: SERVED, members: [leader("a"), healthy("b"), healthy("c", NOT_READY)] },
      "Recovering: False True False MemberNotHealthy",
    ],
    [
      "a healthy member's pod is being deleted",
      {
        status: SERVED,
        members: [leader("a"), healthy("b"), healthy("c", { pod: { isTerminating: true } })],
        claims: true,
      },
      "Recovering: False True False MemberNotHealthy",
    ],
    [
      "a majority is away",
      { members: [leader("a"), unknown("b"), unknown("c")] },
      "NoQuorum: False False False NoQuorum",
    ],
    [
      "the data of a majority is gone",
      { members: [unhealthy("a"), gone("b"), gone("c")] },
      "Failed: False False True MajorityLost",
    ],
    ["etcd refuses writes", alarm("no-space"), "ReadOnly: False False True NoSpaceAlarm"],
    ["etcd found corrupt data", alarm("corrupt"), "Corrupt: False False True CorruptAlarm"],
    [
      "no pod is ready",
      { members: [leader("a", NOT_READY), healthy("b", NOT_READY)] },
      "Unavailable: False False False NoReadyMember",
    ],
    ["the spec is not valid", { seen: { problems: ["spec.size: wrong"] } }, "Degraded: False False True InvalidSpec"],
    [
      "there is no cluster, because the spec is not valid",
      { status: {}, members: [], size: 1, membership: "unknown", seen: { problems: ["x"] } },
      "Failed: False False True InvalidSpec",
    ],
    ["it is paused, with nothing to do", { spec: { paused: true } }, "Paused: True False False AsSpecified"],
    ["it is paused, with something to do", { size: 5, spec: { paused: true } }, "Paused: False False False Paused"],
    [
      "it is paused, and a majority is away",
      { members: [leader("a"), unknown("b"), unknown("c")], spec: { paused: true } },
      "NoQuorum: False False False NoQuorum",
    ],
    [
      "a restore replaces its members",
      {
        status: { ...RUNNING, restore: { ...RESTORE, state: "Fencing" } },
        members: [],
        size: 3,
        membership: "unknown",
      },
      "Restoring: False True False Restoring",
    ],
    [
      "a restored cluster lacks members",
      { status: { ...RUNNING, restore: { ...RESTORE, state: "Joining" } }, members: [leader("a")], size: 3 },
      "Restoring: False True False Restoring",
    ],
    [
      "it is being deleted",
      { metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } },
      "Deleting: False True False Deleting",
    ],
  ];
  for (const [what, given, expected] of cases) {
    test(what, () => assert.equal(told(anObservation(given)), expected));
  }
});

describe("after an edit of the spec, the first status for it reports Ready False:", () => {
  const cases: [what: string, spec: object, told: string][] = [
    ["another version", { version: "3.5.99" }, "Rolling 0/3: False True False RollingOut"],
    ["another repository", { repository: "mirror.example/etcd" }, "Rolling 0/3: False True False RollingOut"],
    ["other resources", { pod: { resources: { requests: { cpu: "2" } } } }, "Rolling 0/3: False True False RollingOut"],
    ["another size", { size: 5 }, "Scaling: False True False Scaling"],
    ["other labels", { pod: { labels: { team: "x" } } }, "Updating: False True False Updating"],
    ["a version out of reach", { version: "3.7.0" }, "Degraded: False False True VersionRefused"],
  ];
  for (const [what, spec, expected] of cases) {
    test(what, () => {
      const seen = edited({ members: three, metadata: { generation: 2 } }, spec);
      assert.equal(told(seen), expected);
      const ready = conditionIn(statusOf(seen), "Ready");
      assert.equal(ready.observedGeneration, 2);
      assert.equal(conditionIn(statusOf(seen, plan(seen), POSTPONED), "Ready").status, "False");
    });
  }

  test("labels that this reconcile has written are no difference any more", () => {
    const seen = edited({ members: three }, { pod: { labels: { team: "x" } } });
    const action = plan(seen);
    assert.equal(verdictIn(statusOf(seen, action, DONE), "Ready"), "True AsSpecified");
    assert.equal(verdictIn(statusOf(seen, action, POSTPONED), "Ready"), "False Updating");
  });

  test("a field that no member is made from leaves it Ready", () => {
    const seen = edited({ members: three }, { memberReplacement: { afterSeconds: 90 } });
    assert.equal(verdictIn(statusOf(seen), "Ready"), "True AsSpecified");
  });
});

describe("a roll", () => {
  test("reports how many members are done, and what is being done", () => {
    const seen = edited({ members: three }, { pod: { resources: { requests: { cpu: "2" } } } });
    const next = { ...seen, pods: seen.pods.map((pod, index) => (index === 0 ? pod : { ...pod, ...madeFrom(seen) })) };
    const action = plan(next);
    const status = statusOf(next, action);
    assert.equal(status.state, "Rolling 2/3");
    assert.equal(conditionIn(status, "Progressing").message, `Rolling 2/3; ${action.message}`);
  });

  test("goes on until the last member is back, though its pod is gone meanwhile", () => {
    const given = { claims: true } as const;
    const rolling = edited({ ...given, members: three }, { repository: "mirror.example/etcd" });
    const first = statusOf(rolling);
    const members = [leader("a"), healthy("b"), unknown("c", { pod: null })];
    const status = statusOf(anObservation({ ...given, members, status: { ...RUNNING, ...first } }));
    assert.equal(status.state, "Rolling 2/3");
    assert.equal(verdictIn(statusOf(anObservation({ ...given, members: three, status })), "Ready"), "True AsSpecified");
  });

  test("that a member does not survive is stalled", () => {
    const seen = edited({ members: three, status: statusOf(anObservation({ members: three })) }, { version: "3.5.99" });
    const pods = seen.pods.map((pod) =>
      pod.name === "c"
        ? {
            ...pod,
            image: "quay.io/coreos/etcd:v3.5.99",
            version: "3.5.99",
            awaitsNewImage: true,
            trouble: "ErrImagePull",
            isReady: false,
            answer: { health: "unknown" as const },
          }
        : pod,
    );
    assert.equal(told({ ...seen, pods }), "Degraded: False False True RolloutHalted");
  });
});

test("a member that was removed for good keeps the cluster from being Ready, and Degraded, until its successor serves", () => {
  const two = [leader("a"), healthy("b")];
  const states = [
    { members: three, size: 3 },
    { members: two, size: 3 },
    { members: [...two, healthy("d", { listed: "learner" })], size: 3 },
    { members: [...two, healthy("d", NOT_READY)], size: 3 },
    { members: [...two, healthy("d")], size: 3 },
  ].map((_, index, all) => {
    const status = statusAfterPasses({ status: RUNNING, ...all[0] }, ...all.slice(0, index + 1));
    return [status.state, ...["Ready", "Degraded", "Recovering"].map((type) => conditionIn(status, type).status)].join(
      " ",
    );
  });
  const missing = "Recovering False True True";
  assert.deepEqual(states, ["Ready True False False", missing, missing, missing, "Ready True False False"]);
});

function madeFrom(seen: ReturnType<typeof anObservation>) {
  const { specHash } = anObservation({ members: [healthy("x")], spec: seen.cluster.spec }).pods[0] ?? {};
  return { specHash };
}
