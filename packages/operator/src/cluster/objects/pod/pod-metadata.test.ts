import assert from "node:assert/strict";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, test } from "vitest";
import { ANNOTATIONS } from "../annotations.ts";
import { memberPod } from "./pod.ts";
import { appliedKeys, metadataPatch, metadataRecord, wantedMetadata } from "./pod-metadata.ts";

type Given = { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string> };

/** As it is stored: perhaps from before there was a rule for it. */
const specWith = (pod: Given) => ({ ...anEtcdCluster().spec, pod });

/** What is on a pod that was made from one spec. */
function madeFrom(pod: Given) {
  const { metadata = {} } = memberPod({
    cluster: { ...anEtcdCluster(), spec: specWith(pod) },
    member: "a",
    version: { major: 3, minor: 5, patch: 30 },
    incarnation: 1,
    start: { kind: "seed", token: "t", peers: [] },
    guardImage: "guard",
  });
  const { labels = {}, annotations = {} } = metadata;
  return { labels, annotations, applied: appliedKeys(annotations[ANNOTATIONS.podMetadata]) };
}

/** The patch without the record, which every patch has. */
function patched(before: Given, after: Given) {
  const patch = metadataPatch(madeFrom(before), specWith(after));
  if (!patch) return undefined;
  const { [ANNOTATIONS.podMetadata]: record, ...annotations } = patch.annotations;
  assert.equal(record, metadataRecord(specWith(after)));
  return { labels: patch.labels, annotations };
}

describe("a pod that was made from the spec", () => {
  for (const pod of [{}, { labels: { team: "a" }, annotations: { note: "b" } }]) {
    test(`needs no patch: ${JSON.stringify(pod)}`, () => assert.equal(patched(pod, pod), undefined));
  }

  test("is given what was added and what was changed, and nothing else", () => {
    const patch = patched(
      { labels: { team: "a", tier: "x" } },
      { labels: { team: "b", tier: "x" }, annotations: { n: "" } },
    );
    assert.deepEqual(patch, { labels: { team: "b" }, annotations: { n: "" } });
  });

  test("loses what was withdrawn", () => {
    const patch = patched({ labels: { team: "a" }, annotations: { note: "b" } }, {});
    assert.deepEqual(patch, { labels: { team: null }, annotations: { note: null } });
  });

  test("keeps what another client wrote on it", () => {
    const found = madeFrom({ labels: { team: "a" } });
    const withMore = { ...found, labels: { ...found.labels, "injected-by": "a-mesh" } };
    assert.deepEqual(metadataPatch(withMore, specWith({ labels: { team: "a" } })), undefined);
    assert.deepEqual(metadataPatch(withMore, specWith({}))?.labels, { team: null });
  });

  test("does not lose twice what another client has removed", () => {
    const found = madeFrom({ labels: { team: "a" } });
    const patch = metadataPatch({ ...found, labels: {} }, specWith({}));
    assert.deepEqual([patch?.labels, Object.keys(patch?.annotations ?? {})], [{}, [ANNOTATIONS.podMetadata]]);
  });

  test("is patched once: what the patch leads to needs no other", () => {
    const spec = specWith({ labels: { tier: "y" }, annotations: { z: "1", a: "2" } });
    const found = madeFrom({ labels: { team: "a" } });
    const patch = metadataPatch(found, spec);
    const annotations = { ...found.annotations, ...patch?.annotations } as Record<string, string>;
    const after = { labels: { tier: "y" }, annotations, applied: appliedKeys(annotations[ANNOTATIONS.podMetadata]) };
    assert.equal(metadataPatch(after, spec), undefined);
  });
});

describe("what the operator writes itself", () => {
  const own = { [ANNOTATIONS.version]: "9.9.9", [ANNOTATIONS.memberId]: "abc", note: "b" };

  test("is not the user's to say", () => {
    assert.deepEqual(wantedMetadata(specWith({ annotations: own })).annotations, { note: "b" });
    assert.equal(patched({}, { annotations: { [ANNOTATIONS.version]: "9.9.9" } }), undefined);
    assert.equal(madeFrom({ annotations: own }).annotations[ANNOTATIONS.version], "3.5.30");
  });

  test("a label by which it finds its objects is not taken from a pod, nor given to it", () => {
    const labels = { app: "mine", etcd_cluster: "other", "etcd.database.coreos.com/owner-uid": "u" };
    const found = { ...madeFrom({}), applied: { labels: Object.keys(labels), annotations: [] } };
    assert.deepEqual(wantedMetadata(specWith({ labels: { ...labels, team: "a" } })).labels, { team: "a" });
    assert.deepEqual(metadataPatch(found, specWith({}))?.labels, {});
    assert.deepEqual(metadataPatch(found, specWith({ labels }))?.labels, {});
  });

  test("is not removed, whatever a record says", () => {
    const found = madeFrom({});
    const applied = { labels: [], annotations: [ANNOTATIONS.version, ANNOTATIONS.specHash, "note"] };
    const annotations = { ...found.annotations, note: "b" };
    assert.deepEqual(Object.keys(metadataPatch({ ...found, annotations, applied }, specWith({}))?.annotations ?? {}), [
      "note",
      ANNOTATIONS.podMetadata,
    ]);
  });
});

describe("a pod of coreos/etcd-operator, which has no record", () => {
  test("gets one, so that what is withdrawn later can go", () => {
    const pod = { labels: { team: "a" } };
    const patch = metadataPatch(
      { labels: { team: "a" }, annotations: {}, applied: appliedKeys(undefined) },
      specWith(pod),
    );
    assert.deepEqual(
      [patch?.labels, patch?.annotations],
      [{}, { [ANNOTATIONS.podMetadata]: metadataRecord(specWith(pod)) }],
    );
  });

  test("needs none where the spec says nothing", () => {
    assert.equal(
      metadataPatch({ labels: {}, annotations: {}, applied: appliedKeys(undefined) }, specWith({})),
      undefined,
    );
  });
});

test("a record that is illegible names nothing, and one that is half legible the other half", () => {
  const nothing = { labels: [], annotations: [] };
  for (const record of [undefined, "", "{", "null", "7", '"labels"', '{"labels":"team"}', '{"labels":{"a":1}}']) {
    assert.deepEqual(appliedKeys(record), nothing, record);
  }
  assert.deepEqual(appliedKeys('{"labels":["a",7,null],"annotations":3}'), { labels: ["a"], annotations: [] });
});
