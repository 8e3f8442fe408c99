import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  healthy,
  leader,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import type { PodSeen, TlsSeen } from "../model/observation.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { fingerprint } from "../objects/pod/fingerprint.ts";
import { claimHash, specHash } from "../objects/pod/spec-hash.ts";
import { plan } from "../plan.ts";
import { CA_ANNOTATIONS } from "../tls/ca-annotations.ts";

const unnamed = { memberId: undefined };
const urlOf = (name: string) => `http://${name}.example.prod.svc:2380`;
/** What the claims of two members that run say of their cluster. */
const RECORD = { term: 0, index: 0, version: "3.5.30", voters: { a: urlOf("a"), b: urlOf("b") } };

test("a member that answers is written on its pod and its claim", () => {
  const members = [leader("a"), healthy("b", { pod: unnamed, claim: { memberId: undefined } })];
  const action = plan(anObservation({ members, claims: true }));
  assert.equal(action.kind, "identify-members");
  assert.equal(action.clusterId, CLUSTER_ID);
  assert.deepEqual(action.members, [
    {
      memberId: "b",
      pod: { name: "b", uid: "uid-of-b", resourceVersion: "1" },
      claim: { name: "b", uid: "uid-of-claim-b", resourceVersion: "1" },
      record: RECORD,
    },
  ]);
});

describe("an edit of a pod's annotations is reverted", () => {
  const asks = ["--initial-cluster=$(OPERATOR_INITIAL_CLUSTER)"];
  const told = (value: string) => ({
    [ANNOTATIONS.initialCluster]: value,
    [ANNOTATIONS.initialClusterState]: "existing",
  });
  const edited = (pod: Partial<PodSeen>) => {
    const action = plan(anObservation({ members: [leader("a"), healthy("b", { pod })] }));
    return action.kind === "identify-members" ? action.members : [];
  };
  const metadata = (annotations: Record<string, string>) => {
    const { pods } = anObservation({ members: [leader("a"), healthy("b")] });
    const known = pods[1]?.metadata;
    assert.ok(known);
    return { ...known, annotations: { ...known.annotations, ...annotations } };
  };
  const written = [{ memberId: "b", pod: { name: "b", uid: "uid-of-b", resourceVersion: "1" } }];

  test("which member it is, when the one of its name answers", () => {
    const answer = { health: "unknown", otherMemberId: "b" } as const;
    assert.deepEqual(edited({ memberId: "a", answer }), written);
    assert.deepEqual(edited({ memberId: "b", answer: { ...answer, otherMemberId: "a" } }), []);
  });

  test("which cluster it belongs to, on its claim as well", () => {
    assert.deepEqual(edited({ clusterId: "bad" }), written);
    const members = [leader("a"), healthy("b", { claim: { clusterId: "bad" } })];
    const action = plan(anObservation({ members, claims: true }));
    assert.equal(action.kind, "identify-members");
    assert.deepEqual(action.members.map(Object.keys), [["memberId", "claim", "record"]]);
  });

  test("which member it is, and its image with it: that is none of admission's doing", () => {
    const image = { image: "by-hand", askedImage: "quay.io/coreos/etcd:v3.5.30" };
    assert.deepEqual(edited({ memberId: "by-hand", ...image }), written);
    assert.deepEqual(edited({ memberId: undefined, ...image }), [{ ...written[0], changedImage: image.askedImage }]);
    const memberStatus = [{ name: "b", id: "b", servedPodHash: "served" }] as never;
    const members = [leader("a"), healthy("b", { pod: { memberId: undefined, ...image } })];
    const action = plan(anObservation({ members, status: { clusterID: CLUSTER_ID, memberStatus } }));
    assert.deepEqual(action.kind === "identify-members" && action.members, written);
  });

  test("which version it was given, and it is not rolled for that", () => {
    assert.deepEqual(edited({ isVersionMisnoted: true }), [{ ...written[0], version: "3.5.30" }]);
  });

  test("what it gets at its next start: on an empty directory it would start without data", () => {
    const { peerUrl } = memberAddresses(anObservation().cluster, "b");
    assert.deepEqual(edited({ flags: asks, metadata: metadata(told(`a=http://a:2380,b=${peerUrl}`)) }), written);
    assert.deepEqual(edited({ flags: asks, metadata: metadata({}) }), written);
    assert.deepEqual(edited({ flags: asks, metadata: metadata(told(`b=${peerUrl}`)) }), []);
  });
});

test("only what lacks the note is written, after a crash between the two writes", () => {
  const members = [leader("a", { pod: unnamed })];
  const action = plan(anObservation({ members, claims: true }));
  assert.equal(action.kind, "identify-members");
  assert.deepEqual(action.members.map(Object.keys), [["memberId", "pod"]]);
});

test("a pod whose hash another release made otherwise gets ours, and is left as it is", () => {
  const members = [leader("a"), healthy("b", { pod: { specHash: undefined } })];
  const seen = anObservation({ members, claims: true });
  const action = plan(seen);
  assert.equal(action.kind, "identify-members");
  const { specHash } = seen.pods[0] ?? {};
  assert.deepEqual(action.members, [
    { memberId: "b", specHash, pod: { name: "b", uid: "uid-of-b", resourceVersion: "1" } },
  ]);
});

test("a hash that holds for one notation of a quantity only is written again, before another notation rolls the pod", () => {
  const spec = { pod: { resources: { requests: { cpu: "1000m" } } } };
  const former = `v1:${fingerprint({ resources: spec.pod.resources })}`;
  const seen = anObservation({ spec, members: [leader("a", { pod: { specHash: former } })] });
  const action = plan(seen);
  assert.equal(action.kind, "identify-members");
  assert.deepEqual(
    action.members.map(({ specHash: hash }) => hash),
    [specHash(seen.cluster.spec)],
  );
});

describe("a claim without a note of what it was made from", () => {
  const noted = (pod: Partial<PodSeen>, more: ObservationGiven = {}) => {
    const members = [leader("a"), healthy("b", { pod, claim: { claimHash: undefined } })];
    const seen = anObservation({ members, claims: true, ...more });
    const action = plan(seen);
    return { members: action.kind === "identify-members" ? action.members : [], seen };
  };
  const claim = { name: "b", uid: "uid-of-claim-b", resourceVersion: "1" };

  test("gets ours as soon as it is seen: a storage class that is edited later needs another volume", () => {
    const { members, seen } = noted({});
    assert.deepEqual(members, [{ memberId: "b", claim, claimHash: claimHash(seen.cluster.spec), record: RECORD }]);
  });

  test("gets it together with its pod, when neither has one", () => {
    const [member] = noted({ specHash: undefined }).members;
    assert.deepEqual(Object.keys(member ?? {}), ["memberId", "specHash", "pod", "claim", "claimHash", "record"]);
  });

  test("gets none when the spec was edited since its pod was made: it is not of this spec", () => {
    assert.deepEqual(noted({ specHash: "v1:before" }).members, []);
  });

  test("gets none when the spec asks for no claims any more", () => {
    assert.deepEqual(noted({}, { spec: { pod: {} } }).members, []);
  });
});

describe("a pod without a record of the authorities that it trusts", () => {
  const tls: TlsSeen = { defects: [], expiring: [], ca: { peer: "p", server: "s" } };
  const noted = (pod: Partial<PodSeen>, more: Partial<TlsSeen> = {}) => {
    const action = plan(anObservation({ members: [leader("a", { pod })], seen: { tls: { ...tls, ...more } } }));
    return action.kind === "identify-members" ? action.members.map(({ ca }) => ca) : [];
  };
  const withNotes = (annotations: PodSeen["metadata"]["annotations"]) => ({
    metadata: { labels: {}, annotations, applied: { labels: [], annotations: [] } },
  });

  test("gets one of the authorities that the Secrets hold, so that a change of authority reaches it", () => {
    assert.deepEqual(noted({}), [{ peer: "p", server: "s" }]);
    assert.deepEqual(noted({}, { ca: { peer: "p", server: undefined } }), [{ peer: "p", server: undefined }]);
  });

  test("keeps what is written on it, which may be older", () => {
    // One that runs would be restarted instead.
    const idle = { ...withNotes({ [CA_ANNOTATIONS.peer]: "old" }), isEtcdRunning: false };
    assert.deepEqual(noted(idle), [{ peer: undefined, server: "s" }]);
    assert.deepEqual(noted(withNotes({ [CA_ANNOTATIONS.peer]: "old", [CA_ANNOTATIONS.server]: "old" })), []);
  });

  test("gets none while the Secrets are not what it was started with, as far as is known", () => {
    assert.deepEqual(noted({}, { defects: ["Secret 'peer' is missing"] }), []);
    const old = withNotes({ [CA_ANNOTATIONS.peer]: "old", [CA_ANNOTATIONS.server]: "old" });
    const members = [leader("a"), healthy("b", { pod: old })];
    assert.notEqual(plan(anObservation({ members, seen: { tls } })).kind, "identify-members");
    assert.deepEqual(noted({ specHash: "v1:of-another-secret" }), []);
  });
});

test("a learner is identified before it is promoted", () => {
  const members = [leader("a"), healthy("b", { listed: "learner" })];
  assert.equal(plan(anObservation({ members })).kind, "identify-members");
});

test("no member is identified that does not respond as the member that the list has", () => {
  const answer = { health: "healthy", status: { ...statusOf("a"), memberId: "x" } } as const;
  const members = [leader("a"), healthy("b", { pod: { ...unnamed, answer } }), unknown("c", { pod: unnamed })];
  assert.notEqual(plan(anObservation({ members })).kind, "identify-members");
});

function statusOf(name: string) {
  const status = anObservation({ members: [leader(name)] }).pods[0]?.answer.status;
  assert.ok(status);
  return status;
}

test("a claim whose pod was deleted before it was annotated is identified by the list, and by the guard when it is used", () => {
  const nameless = { memberId: undefined, clusterId: undefined };
  const members = [leader("a"), unknown("b", { pod: null, claim: nameless })];
  const action = plan(anObservation({ members, claims: true }));
  assert.equal(action.kind, "identify-members");
  assert.deepEqual(action.members, [
    { memberId: "b", claim: { name: "b", uid: "uid-of-claim-b", resourceVersion: "1" } },
  ]);
});

test("a pod that the guard kept from its own data, because its owner was not recorded, is identified too", () => {
  const pod = { memberId: undefined, refusal: "not-empty" } as const;
  const members = [leader("a"), unknown("b", { pod, claim: { memberId: undefined, clusterId: undefined } })];
  const action = plan(anObservation({ members, claims: true }));
  assert.deepEqual(action.kind === "identify-members" && action.members.map(Object.keys), [
    ["memberId", "pod", "claim"],
  ]);
});
