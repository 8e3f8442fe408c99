import assert from "node:assert/strict";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import {
  anObservation,
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { answering, edited, given as givenVersion, noted, running } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import { wantedSize } from "../model/desired-size.ts";
import type { Observation, PodSeen } from "../model/observation.ts";
import { situationOf } from "../model/situation.ts";
import { isSettled, outdatedVoters } from "./outdated.rule.ts";

const three = [leader("a"), healthy("b"), healthy("c")];
const cpu = { resources: { requests: { cpu: "2" } } };
const onClaims = (more: object = {}) => ({ pod: { persistentVolumeClaimSpec: A_CLAIM, ...more } });

/** "a image, b image, c image" */
function changes(seen: Observation): string {
  return outdatedVoters(situationOf(seen))
    .map(({ name, change }) => `${name} ${change.kind}`)
    .join(", ");
}

function withPods(seen: Observation, change: (pod: PodSeen) => Partial<PodSeen>): Observation {
  return { ...seen, pods: seen.pods.map((pod) => ({ ...pod, ...change(pod) })) };
}

describe("a member is as the spec says", () => {
  test("when its pod was made from it and runs the version", () => {
    assert.equal(changes(anObservation()), "");
  });

  test("also when another release of the operator would make another pod from it", () => {
    assert.equal(changes(withPods(anObservation(), () => ({ flags: ["--else"], asksForLivez: false }))), "");
  });

  test("as far as labels, annotations and size go: those change in place", () => {
    assert.equal(changes(edited({ members: three }, { pod: { labels: { x: "y" }, annotations: { z: "" } } })), "");
    assert.equal(changes(edited({ members: three }, { size: 5 })), "");
  });
});

describe("another version or repository", () => {
  test("is an image in the same pod", () => {
    assert.equal(
      changes(edited({ members: three, version: "3.5.16" }, { version: "3.5.30" })),
      "a image, b image, c image",
    );
    const seen = edited({ members: three }, { repository: "registry.example/etcd" });
    const [first] = outdatedVoters(situationOf(seen));
    assert.deepEqual(first?.change, { kind: "image", image: "registry.example/etcd:v3.5.30", version: "3.5.30" });
  });

  test("concerns only those that do not have it yet", () => {
    const seen = edited({ members: three, version: "3.5.16" }, { version: "3.5.30" });
    assert.equal(changes(running("3.5.30", seen, "b")), "a image, c image");
  });

  test("needs a new pod where the flags are refused, and without a volume a new member", () => {
    const flags = ["--experimental-initial-corrupt-check=true"];
    const to37 = (claims: boolean) =>
      withPods(edited({ members: three, claims, version: "3.6.16" }, { version: "3.7.3" }), () => ({ flags }));
    assert.equal(changes(to37(true)), "a pod, b pod, c pod");
    assert.equal(changes(to37(false)), "a member, b member, c member");
  });

  test("that is refused leaves every member as it is, but not the repository", () => {
    const skipping = { version: "3.7.3" };
    assert.equal(changes(edited({ members: three }, skipping)), "");
    const seen = edited({ members: three }, { ...skipping, repository: "registry.example/etcd" });
    const [first] = outdatedVoters(situationOf(seen));
    assert.deepEqual(first?.change, { kind: "image", image: "registry.example/etcd:v3.5.30", version: "3.5.30" });
  });

  test("that is refused is not given to a pod that does not say what it has", () => {
    const seen = withPods(edited({ members: three }, { version: "3.7.3" }), () => ({ version: undefined }));
    assert.equal(changes(seen), "");
  });
});

describe("another pod spec", () => {
  test("is a pod on the same volume, and without one another member", () => {
    assert.equal(changes(edited({ members: three, claims: true }, onClaims(cpu))), "a pod, b pod, c pod");
    assert.equal(changes(edited({ members: three }, { pod: cpu })), "a member, b member, c member");
  });

  test("comes second for a member without a volume that is down and has another image: it may lack only that", () => {
    const members = [leader("a"), healthy("b"), unhealthy("c")];
    const spec = { repository: "registry.example/etcd", pod: cpu };
    assert.equal(changes(edited({ members }, spec)), "a member, b member, c image");
    assert.equal(changes(edited({ members }, { pod: cpu })), "a member, b member, c member");
    assert.equal(changes(edited({ members, claims: true }, { ...spec, ...onClaims(cpu) })), "a pod, b pod, c pod");
  });

  test("is none where a quantity is only written in another way", () => {
    const asking = (resources: object) => ({ pod: { resources } });
    const usual = asking({ requests: { cpu: "50m" }, limits: { memory: "1Gi", cpu: "1" } });
    const seen = anObservation({ members: three, spec: usual });
    const other = anObservation({
      spec: asking({ requests: { cpu: "0.05" }, limits: { memory: "1024Mi", cpu: "1000m" } }),
    });
    const more = anObservation({ spec: asking({ requests: { cpu: "60m" }, limits: { memory: "1Gi", cpu: "1" } }) });
    assert.equal(changes({ ...seen, cluster: other.cluster }), "");
    assert.equal(changes({ ...seen, cluster: more.cluster }), "a member, b member, c member");
  });

  test("concerns pods of coreos/etcd-operator only from when they were taken over", () => {
    const seen = edited({ members: three, claims: true }, onClaims(cpu));
    assert.equal(changes(withPods(seen, () => ({ specHash: undefined }))), "");
  });

  test("does not concern members of another client, nor a pod that is being deleted", () => {
    const seen = edited({ members: three, claims: true }, onClaims(cpu));
    assert.equal(changes(withPods(seen, ({ name }) => ({ isTerminating: name === "b" }))), "a pod, c pod");
    const elsewhere = { id: "x", name: "x", peerUrls: ["http://elsewhere:2380"], isLearner: false };
    assert.ok(seen.membership.kind === "confirmed");
    const members = [...seen.membership.members, elsewhere];
    assert.equal(changes({ ...seen, membership: { kind: "confirmed", members } }), "a pod, b pod, c pod");
  });
});

describe("another volume is another member:", () => {
  const other = (claimHash: string | undefined) => three.map((member) => ({ ...member, claim: { claimHash } }));
  const more: [what: string, given: ObservationGiven, spec: object][] = [
    ["one where there was none", { members: three }, onClaims()],
    ["none where there was one", { members: three, claims: true }, { pod: {} }],
    ["one of another class", { members: other("of another class"), claims: true }, onClaims(cpu)],
  ];
  for (const [what, given, spec] of more) {
    test(what, () => assert.equal(changes(edited(given, spec)), "a member, b member, c member"));
  }

  test("also for a pod of this spec on a volume of an earlier one: between the two the spec was changed", () => {
    const seen = edited({ members: other("of another class"), claims: true }, onClaims());
    assert.equal(changes(seen), "a member, b member, c member");
  });

  test("but not where the spec of the volume was not recorded", () => {
    const seen = edited({ members: other(undefined), claims: true }, onClaims(cpu));
    assert.equal(changes(seen), "a pod, b pod, c pod");
  });
});

describe("a claim that is being deleted under its running member, or has lost its volume,", () => {
  const claim = { isTerminating: true };
  const with3 = (b: MemberGiven) => anObservation({ claims: true, members: [leader("a"), b, healthy("c")] });

  test("is replaced by another member, which is added before it is removed", () => {
    assert.equal(changes(with3(healthy("b", { claim }))), "b member");
    assert.equal(changes(with3(healthy("b", { claim: { hasLostVolume: true } }))), "b member");
  });

  test("is replaced so where the member would get a new image in its pod, too", () => {
    const given = with3(healthy("b", { claim, pod: { image: "quay.io/coreos/etcd:v3.5.29", version: "3.5.29" } }));
    assert.equal(changes(given), "b member");
  });

  test("is none of a pod that is going, nor of one that has its data elsewhere", () => {
    assert.equal(changes(with3(healthy("b", { claim, pod: { isTerminating: true } }))), "");
    assert.equal(changes(anObservation({ members: [leader("a"), healthy("b", { claim }), healthy("c")] })), "");
  });
});

describe("the majority", () => {
  const upgrade = (members: ObservationGiven["members"], from = "3.5.16", to = "3.5.30") =>
    edited({ members: members ?? [], version: from, size: members?.length ?? 1 }, { version: to });

  test("is kept by another member first, where there are one or two", () => {
    assert.equal(changes(upgrade([leader("a")])), "a member");
    assert.equal(changes(upgrade([leader("a"), healthy("b")])), "a member, b member");
  });

  test("costs nothing to take from one that is down", () => {
    assert.equal(changes(upgrade([leader("a"), unhealthy("b")])), "a member, b image");
  });

  test("cannot be kept without learners, which would make it two of two", () => {
    assert.equal(changes(upgrade([leader("a")], "3.3.20", "3.3.25")), "a image");
    assert.equal(changes(upgrade([leader("a"), healthy("b")], "3.3.20", "3.3.25")), "a image, b image");
  });

  test("cannot be kept while etcd brings its data down, because no member can join then", () => {
    const told = { downgradeTarget: "3.6.0" };
    assert.equal(changes(answering(told, upgrade([leader("a")], "3.7.3", "3.6.16"))), "a image");
    const edit = edited({ members: three, version: "3.7.3" }, { version: "3.6.16", pod: cpu });
    const { specHash } = anObservation({ spec: { pod: cpu } }).pods[0] ?? {};
    const oneIsNew = withPods(edit, ({ name }) => (name === "b" ? { specHash } : {}));
    assert.equal(changes(answering(told, oneIsNew)), "b image");
    assert.equal(changes(running("3.6.16", oneIsNew, "b")), "a member, c member");
  });
});

describe("a voter has arrived", () => {
  const settled = (seen: Observation) => {
    const [first] = situationOf(seen).voters;
    return first !== undefined && isSettled(first);
  };
  const one = (pod: Partial<PodSeen> = {}) => withPods(anObservation({ members: [leader("a")] }), () => pod);

  test("when it is healthy, ready, and runs what its pod says", () => {
    assert.equal(settled(one()), true);
    assert.equal(settled(one({ isReady: false })), false);
    assert.equal(settled(one({ isTerminating: true })), false);
    assert.equal(settled(one({ awaitsNewImage: true })), false, "the old image may answer as well as the new one");
    assert.equal(settled(anObservation({ members: [unknown("a")] })), false);
    assert.equal(settled(givenVersion("3.5.31", one(), "a")), false);
  });

  test("also with a custom build of etcd, and in a pod of coreos/etcd-operator", () => {
    assert.equal(settled(answering({ version: "3.5.30+vendor.1" }, one())), true);
    assert.equal(settled(one({ version: undefined })), true);
  });
});

describe("one more member than the spec says is wanted", () => {
  const edit = (given: ObservationGiven = {}) => edited({ members: three, size: 3, ...given }, { pod: cpu });
  const wanted = (seen: Observation) => wantedSize(situationOf(seen));

  test("while another member has to be added before an outdated one is removed", () => {
    assert.equal(wanted(edit()), 4);
    assert.equal(wanted(edit({ members: [...three, healthy("d", { listed: "learner" })] })), 4);
    assert.equal(wanted(edit({ members: [...three, healthy("d")] })), 3);
  });

  test("not before all are healthy, but still while it is in progress", () => {
    const members = [leader("a"), healthy("b"), unknown("c")];
    assert.equal(wanted(edit({ members })), 3);
    assert.equal(wanted({ ...edit(), alarms: [{ memberId: "a", kind: "corrupt" }] }), 3);
    assert.equal(wanted({ ...edit(), alarms: [{ memberId: "a", kind: "no-space" }] }), 4);
    assert.equal(wanted(edit({ members: [...members, healthy("d", { listed: "unstarted-learner" })] })), 4);
  });

  test("also where the new one is a voter before it has started, because etcd knows no learners", () => {
    const memberIntents = [{ name: "d", incarnation: 1, purpose: "Join" as const }];
    const status = { ...noted({}), memberIntents };
    const stuck = unknown("d", { listed: "unstarted-voter", pod: { stage: "pending", trouble: "no node" } });
    const members = [leader("a"), healthy("b"), healthy("c"), stuck];
    const seen = edited({ members, size: 3, version: "3.3.25", status }, { pod: { nodeSelector: { disk: "ssd" } } });
    assert.equal(wantedSize(situationOf(seen)), 4);
  });

  test("not when all are as the spec says, or can be changed where they are", () => {
    assert.equal(wanted(anObservation()), 3);
    assert.equal(wanted(edited({ members: three, version: "3.5.16" }, { version: "3.5.30" })), 3);
  });
});
