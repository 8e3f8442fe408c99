import assert from "node:assert/strict";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, test } from "vitest";
import { admissionNote, parseAdmissionNote } from "./admission-note.ts";
import { ANNOTATIONS } from "./annotations.ts";

const IMAGE = "quay.io/coreos/etcd:v3.5.30";
const pod = aMemberPod(anEtcdCluster({ pod: { labels: { team: "a" } } }), { member: "a" });
const noted = (note: string) => ({
  ...pod,
  metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [ANNOTATIONS.changedByAdmission]: note } },
});

describe("what admission answered a write with", () => {
  test("is not noted where it is what was asked for", () => {
    assert.equal(admissionNote(pod, { image: IMAGE, labels: { team: "a" } }), undefined);
  });

  test("is noted by the values that were asked for, and those alone", () => {
    const note = admissionNote(pod, { image: "registry.example/etcd:v3.5.30", labels: { team: "b", tier: "x" } });
    assert.deepEqual(parseAdmissionNote(note), {
      image: "registry.example/etcd:v3.5.30",
      labels: { team: "b", tier: "x" },
      annotations: {},
    });
  });

  test("is not noted twice, and replaces an earlier note on the same field", () => {
    const first = admissionNote(pod, { image: "old:v1", labels: { team: "b", tier: "x" } }) ?? "";
    assert.equal(admissionNote(noted(first), { labels: { team: "b" } }), undefined);
    const second = admissionNote(noted(first), { image: IMAGE, labels: { team: "a" } });
    assert.deepEqual(parseAdmissionNote(second), { labels: { tier: "x" }, annotations: {} });
  });

  test.each(["", "{", "null", "7", '{"image":1,"labels":[1],"annotations":"x"}'])(
    "an illegible note names nothing: %s",
    (note) => {
      const { image, labels } = parseAdmissionNote(note);
      assert.deepEqual([image, labels], [undefined, {}]);
    },
  );
});
