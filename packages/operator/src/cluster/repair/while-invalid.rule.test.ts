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
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { Action } from "../model/action.ts";
import { podHash } from "../objects/pod/pod-hash.ts";
import { plan } from "../plan.ts";

const invalid = (...invalidFields: readonly string[]) => ({
  seen: { problems: invalidFields.map((field) => `${field}: wrong`), invalidFields },
});
const next = (given: ObservationGiven) => plan(anObservation(given));
const three = (third: MemberGiven) => [leader("a"), healthy("b"), third];
const shown = (action: Action) => (action.kind === "hold" ? `hold ${action.reason}` : action.kind);

describe("while a spec is not valid", () => {
  test("a member that lost its pod comes back on its volume, as what it was", () => {
    for (const field of ["spec.size", "spec.version", "spec.recovery", "spec.memberReplacement.afterSeconds"]) {
      const action = next({ claims: true, members: three(gone("c")), ...invalid(field) });
      assert.equal(action.kind, "start-members", field);
      assert.deepEqual(
        action.members.map(({ name, start, version }) => [name, start.kind, version]),
        [["c", "returning", "3.5.30"]],
      );
    }
  });

  test("so it does where a field of pods is called wrong now that the others were made from", () => {
    const spec = { etcd: { heartbeatIntervalMs: 100 } };
    const given = { claims: true, spec, members: three(gone("c")), ...invalid("spec.etcd.heartbeatIntervalMs") };
    assert.equal(next(given).kind, "start-members");
    const edited = three(gone("c")).map((member) =>
      member.pod === null ? member : { ...member, pod: { specHash: "v1:another" } },
    );
    assert.equal(shown(next({ ...given, members: edited })), "hold InvalidSpec");
  });

  test("also when no pod is left to compare with: the status says what members served with", () => {
    const spec = { etcd: { heartbeatIntervalMs: 100 } };
    const [pod] = anObservation({ claims: true, spec, members: [leader("a")] }).pods;
    assert.ok(pod);
    const noted = (servedPodHash: string) => ({
      clusterID: CLUSTER_ID,
      incarnation: 1,
      memberStatus: ["a", "b", "c"].map((name) => ({
        ...({ name, id: name, role: "Follower", health: "Unknown", version: "3.5.30", servedPodHash } as const),
      })),
    });
    const given = { claims: true, spec, members: [gone("a"), gone("b"), gone("c")], membership: "unknown" } as const;
    const field = invalid("spec.etcd.heartbeatIntervalMs");
    assert.equal(next({ ...given, status: noted(podHash(pod)), ...field }).kind, "start-members");
    assert.equal(shown(next({ ...given, status: noted("another"), ...field })), "hold NoQuorum");
  });

  test("a member that is dead is replaced, where the spec says how many and what they are like", () => {
    const members = three(gone("c"));
    assert.equal(next({ members, ...invalid("spec.recovery") }).kind, "remove-member");
    assert.equal(
      next({ members: [leader("a"), healthy("b")], size: 3, ...invalid("spec.recovery") }).kind,
      "declare-join",
    );
    for (const field of ["spec.size", "spec.pod.etcdEnv"]) {
      const edited = members.map((member) =>
        member.pod === null ? member : { ...member, pod: { specHash: "v1:another" } },
      );
      assert.equal(shown(next({ members: edited, ...invalid(field) })), "hold InvalidSpec", field);
    }
  });

  test("voters get clients, learners become voters, Services are corrected", () => {
    const closed = { pod: { gate: "closed" } } as const;
    assert.equal(next({ members: three(healthy("c", closed)), ...invalid("spec.version") }).kind, "set-gates");
    const learner = healthy("c", { listed: "learner", pod: { memberId: "c" } });
    assert.equal(next({ members: three(learner), ...invalid("spec.version") }).kind, "promote-member");
    const seen = anObservation(invalid("spec.version"));
    const objects = { ...seen.objects, clientService: { kind: "missing" } as const };
    assert.equal(plan({ ...seen, objects }).kind, "write-objects");
  });

  test("nothing new follows: no size, no roll, no volume, no label, no surge", () => {
    const rest: ObservationGiven[] = [
      { size: 5 },
      { size: 1 },
      {
        spec: { pod: { resources: { requests: { cpu: "2" } } } },
        members: three(healthy("c", { pod: { specHash: "v1:x" } })),
      },
      { members: three(healthy("c", { pod: { image: "x", version: "3.5.16" } })) },
      { claims: true, members: three(healthy("c", { claim: { storage: "1Mi" } })) },
      { claims: true, members: three(healthy("c", { claim: { isOwned: true } })) },
      {
        members: three(
          healthy("c", {
            pod: { metadata: { labels: {}, annotations: {}, applied: { labels: ["x"], annotations: [] } } },
          }),
        ),
      },
      { claims: true, members: three(healthy("c", { claim: { isTerminating: true } })) },
    ];
    for (const given of rest) {
      const members = given.members ?? three(healthy("c"));
      const action = next({ ...given, members, ...invalid("spec.size") });
      assert.equal(shown(action), "hold InvalidSpec", JSON.stringify(given));
    }
  });

  test("a member is not replaced for being late where the limit is unknown", () => {
    const notHealthySince = new Date(NOW_MS - 3_600_000).toISOString();
    const late = { name: "c", id: "c", role: "Follower", health: "Unknown", notHealthySince } as const;
    const status = { clusterID: CLUSTER_ID, incarnation: 1, memberStatus: [late] };
    const given = { members: three(unknown("c")), status };
    assert.equal(next({ ...given, ...invalid("spec.recovery") }).kind, "remove-member");
    const never = { spec: { memberReplacement: { afterSeconds: 315_360_000 } }, ...invalid("spec.memberReplacement") };
    assert.equal(shown(next({ ...given, ...never })), "hold InvalidSpec");
  });

  test("everything is held where nothing of it can be relied on, or it may say to hold", () => {
    const members = three(gone("c"));
    for (const field of ["spec", "spec.paused"]) {
      assert.equal(shown(next({ claims: true, members, ...invalid(field) })), "hold InvalidSpec");
    }
    assert.equal(
      shown(next({ claims: true, members, spec: { paused: true }, ...invalid("spec.size") })),
      "hold Paused",
    );
    assert.equal(
      shown(next({ size: 3, members: [], status: {}, membership: "unknown", ...invalid("spec.recovery") })),
      "hold InvalidSpec",
    );
  });
});
