import assert from "node:assert/strict";
import {
  anObservation,
  healthy,
  leader,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { edited } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import { imageGiven } from "../model/image-given.ts";
import type { PodSeen } from "../model/observation.ts";
import { isOutdatedJoiner } from "../model/replacement.ts";
import { situationOf } from "../model/situation.ts";
import { plan } from "../plan.ts";

const ASKED = "quay.io/coreos/etcd:v3.5.30";
const MIRRORED = "mirror.example/quay.io/coreos/etcd:v3.5.30";
const PINNED = "registry.example/base/etcd@sha256:0a5";
const IMAGES = [MIRRORED, PINNED, "registry.example/etcd:v3.5.30"];

const changed = (image: string): Partial<PodSeen> => ({ image, askedImage: ASKED, isImageChangedByAdmission: true });
/** The operator stopped before it noted what admission answered. */
const unnoted = (image: string): Partial<PodSeen> => ({ image, askedImage: ASKED });
const pending = { stage: "pending", isEtcdRunning: false, isReady: false } as const;
const unborn = { ...pending, memberId: undefined, clusterId: undefined } as const;

describe.each(IMAGES)("where admission makes %s of the image that was asked for,", (image) => {
  test("no voter of three is restarted, and none of one or two is replaced", () => {
    for (const names of [["b", "c"], ["b"], []]) {
      const members = [
        leader("a", { pod: changed(image) }),
        ...names.map((name) => healthy(name, { pod: changed(image) })),
      ];
      assert.equal(plan(anObservation({ members })).kind, "none");
    }
  });

  test("bootstrapping does not start over, also before the answer was noted", () => {
    for (const how of [changed, unnoted]) {
      const status = { incarnation: 1, memberIntents: [{ name: "a", incarnation: 1, purpose: "Seed" as const }] };
      const members = [unknown("a", { listed: false, pod: { ...how(image), ...unborn } })];
      const action = plan(anObservation({ size: 3, membership: "unknown", members, status }));
      assert.deepEqual([action.kind, action.reason], ["hold", "Bootstrapping"]);
    }
  });

  test("a learner is not replaced for it, also before the answer was noted", () => {
    for (const how of [changed, unnoted]) {
      const d = unknown("d", { listed: "unstarted-learner", pod: { ...how(image), ...unborn } });
      const now = situationOf(anObservation({ size: 4, members: [leader("a"), healthy("b"), healthy("c"), d] }));
      assert.deepEqual(
        now.members.filter((member) => isOutdatedJoiner(member, now)),
        [],
      );
    }
  });

  test("another version is asked for once", () => {
    const version = "3.5.16";
    const pod = { image, askedImage: "quay.io/coreos/etcd:v3.5.16", isImageChangedByAdmission: true } as const;
    const members = [leader("a", { pod }), healthy("b", { pod }), healthy("c", { pod })];
    const action = plan(edited({ members, version }, { version: "3.5.30" }));
    assert.equal(action.kind, "restart-member");
    assert.deepEqual(action.change, { kind: "image", image: ASKED, version: "3.5.30" });
  });

  test("another repository reaches the members", () => {
    const pod = changed(image);
    const members = [leader("a", { pod }), healthy("b", { pod }), healthy("c", { pod })];
    assert.equal(plan(edited({ members }, { repository: "elsewhere.example/etcd" })).kind, "restart-member");
  });

  test("an image that an operator which stopped did not note is noted with the member's id", () => {
    const members = [leader("a"), healthy("b"), healthy("c", { pod: { ...unnoted(image), memberId: undefined } })];
    const action = plan(anObservation({ members }));
    assert.equal(action.kind, "identify-members");
    assert.equal(action.members[0]?.changedImage, ASKED);
  });
});

test("an image that another client put into a pod is taken out again", () => {
  const members = [leader("a"), healthy("b"), healthy("c", { pod: { image: "evil", askedImage: ASKED } })];
  const action = plan(anObservation({ members }));
  assert.deepEqual(action.kind === "restart-member" && action.change, {
    kind: "image",
    image: ASKED,
    version: "3.5.30",
  });
});

describe("a pod that does not say what was asked for", () => {
  const believed = (pod: Partial<PodSeen>, given: ObservationGiven = {}) => {
    const { pods, cluster } = anObservation({ members: [leader("a", { pod })], ...given });
    return pods[0] && imageGiven(pods[0], cluster);
  };

  test.each([MIRRORED, PINNED])("keeps %s, which no spec can have asked for, and it is noted", (image) => {
    assert.equal(believed({ image }), ASKED);
    const pod = { image };
    const action = plan(
      anObservation({ members: [leader("a", { pod }), healthy("b", { pod }), healthy("c", { pod })] }),
    );
    assert.equal(action.kind, "identify-members");
    assert.deepEqual(
      action.members.map(({ changedImage }) => changedImage),
      [ASKED, ASKED, ASKED],
    );
  });

  test("keeps any image that coreos/etcd-operator left it", () => {
    assert.equal(believed({ image: "registry.example/etcd:v3.5.30", specHash: undefined }), ASKED);
  });

  test("gets the repository of the spec where an earlier release of ours had yet to give it", () => {
    assert.equal(believed({ image: "registry.example/etcd:v3.5.30" }), "registry.example/etcd:v3.5.30");
  });

  test("gets another version, whatever its image is called", () => {
    const pod = { image: PINNED };
    const members = [leader("a", { pod }), healthy("b", { pod }), healthy("c", { pod })];
    const seen = edited({ members, version: "3.5.16" }, { version: "3.5.30" });
    assert.equal(imageGiven(seen.pods[0] as PodSeen, seen.cluster), "quay.io/coreos/etcd:v3.5.16");
  });
});

test("a label that admission changes is asked for once, and its next value again", () => {
  const changedByAdmission = { labels: { team: "a" }, annotations: {} };
  const kindOf = (team: string) => {
    const seen = edited({ spec: { pod: { labels: { team: "a" } } } }, { pod: { labels: { team } } });
    const pods = seen.pods.map((pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { team: "forced" }, changedByAdmission },
    }));
    return plan({ ...seen, pods }).kind;
  };
  assert.deepEqual([kindOf("a"), kindOf("b")], ["none", "patch-pods"]);
});
