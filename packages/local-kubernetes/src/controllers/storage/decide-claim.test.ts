import assert from "node:assert/strict";
import { aClaim, aVolume, stored } from "@etcd-operator/testing/local/stored-objects.ts";
import { describe, test } from "vitest";
import { type ClaimScene, decideClaim } from "./decide-claim.ts";
import { standardClass } from "./objects.ts";

const classes = [stored("standard", standardClass)];
const decide = (scene: Partial<ClaimScene>) =>
  decideClaim({ claim: aClaim(), volumes: [], classes, isInUse: false, ...scene });
const ref = { namespace: "ns", name: "claim" };
const selected = { metadata: { annotations: { "volume.kubernetes.io/selected-node": "local" } } };
const isBound = { metadata: { annotations: { "pv.kubernetes.io/bind-completed": "yes" } } };

describe("a new claim", () => {
  test("is protected first", () =>
    assert.equal(decide({ claim: aClaim({ metadata: { finalizers: [] } }) }).kind, "protect"));

  test("without a class gets the default one", () => {
    const { storageClassName: _, ...spec } = aClaim().spec ?? {};
    const claim = { ...aClaim(), spec };
    assert.deepEqual(decide({ claim }), { kind: "set-class", name: "standard" });
    assert.deepEqual(decide({ claim, classes: [] }), { kind: "none" });
  });

  test("waits for a pod, then is given a volume", () => {
    assert.equal(decide({}).kind, "wait");
    assert.equal(decide({ claim: aClaim(selected) }).kind, "provision");
  });

  test("is given a volume at once where its class says so, and none where another provisions", () => {
    const [standard] = classes;
    assert.ok(standard);
    const immediate = { ...standard, volumeBindingMode: "Immediate" };
    assert.equal(decide({ classes: [immediate] }).kind, "provision");
    assert.equal(decide({ classes: [{ ...immediate, provisioner: "other" }] }).kind, "none");
  });

  test("takes the smallest volume that suits it", () => {
    const volumes = [
      aVolume("large", { spec: { capacity: { storage: "9Gi" } } }),
      aVolume("fits", { spec: { capacity: { storage: "2Gi" } } }),
      aVolume("small", { spec: { capacity: { storage: "1Mi" } } }),
      aVolume("taken", { spec: { claimRef: { namespace: "ns", name: "other" } } }),
      aVolume("other-class", { spec: { storageClassName: "" } }),
      aVolume("read-only", { spec: { accessModes: ["ReadOnlyMany"] } }),
    ];
    const action = decide({ claim: aClaim(selected), volumes });
    assert.equal(action.kind === "bind" && action.volume.metadata.name, "fits");
  });

  test("takes the volume that is reserved for it, also before a pod comes", () => {
    const action = decide({ volumes: [aVolume("reserved", { spec: { claimRef: ref } })] });
    assert.equal(action.kind, "bind");
    const forOld = aVolume("reserved", { spec: { claimRef: { ...ref, uid: "uid-of-an-older-one" } } });
    assert.equal(decide({ volumes: [forOld] }).kind, "wait");
  });

  test("waits for the volume that it names, and does not take it from another", () => {
    const claim = aClaim({ spec: { volumeName: "mine" } });
    assert.equal(decide({ claim }).kind, "none");
    assert.equal(
      decide({ claim, volumes: [aVolume("mine", { spec: { claimRef: { namespace: "ns", name: "x" } } })] }).kind,
      "none",
    );
    assert.equal(decide({ claim, volumes: [aVolume("mine")] }).kind, "bind");
  });
});

describe("a bound claim", () => {
  const claim = aClaim({
    ...isBound,
    spec: { volumeName: "mine" },
    status: { phase: "Bound", capacity: { storage: "1Gi" } },
  });
  const volumes = [aVolume("mine", { spec: { claimRef: { ...ref, uid: "uid-claim" } } })];

  test("needs nothing", () => assert.equal(decide({ claim, volumes }).kind, "none"));

  test("grows when it asks for more and its class allows it", () => {
    const larger = { ...claim, spec: { ...claim.spec, resources: { requests: { storage: "2Gi" } } } };
    const action = decide({ claim: larger, volumes });
    assert.equal(action.kind === "expand" && action.storage, "2Gi");
    const fixed = classes.map((it) => ({ ...it, allowVolumeExpansion: false }));
    assert.equal(decide({ claim: larger, volumes, classes: fixed }).kind, "none");
    const foreign = classes.map((it) => ({ ...it, provisioner: "other" }));
    assert.equal(decide({ claim: larger, volumes, classes: foreign }).kind, "none");
  });

  test("is lost with its volume, which is said once", () => {
    assert.equal(decide({ claim, volumes: [] }).kind, "lose");
    assert.equal(decide({ claim: { ...claim, status: { phase: "Lost" } }, volumes: [] }).kind, "none");
  });

  test("stays while it is deleted but in use", () => {
    const going = { ...claim, metadata: { ...claim.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" } };
    assert.equal(decide({ claim: going, volumes, isInUse: true }).kind, "none");
    assert.equal(decide({ claim: going, volumes }).kind, "unprotect");
  });
});
