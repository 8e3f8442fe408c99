import assert from "node:assert/strict";
import { aClaim, aVolume } from "@etcd-operator/testing/local/stored-objects.ts";
import type { PersistentVolume } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { decideVolume } from "./decide-volume.ts";
import { PROVISIONED_BY, PROVISIONER } from "./storage-names.ts";

const claimRef = { namespace: "ns", name: "claim", uid: "uid-claim" };
const claim = aClaim({ spec: { volumeName: "v" } });
const ours = { annotations: { [PROVISIONED_BY]: PROVISIONER } };

function volume(phase: string, more: Partial<PersistentVolume> = {}) {
  return aVolume("v", { status: { phase }, ...more });
}

describe("a volume", () => {
  test("is available until a claim has it, then bound, then released", () => {
    assert.deepEqual(decideVolume(volume("Pending"), undefined), { kind: "set-phase", phase: "Available" });
    assert.deepEqual(decideVolume(volume("Available", { spec: { claimRef } }), claim), {
      kind: "set-phase",
      phase: "Bound",
    });
    assert.deepEqual(decideVolume(volume("Bound", { spec: { claimRef } }), claim), { kind: "none" });
    assert.deepEqual(decideVolume(volume("Bound", { spec: { claimRef } }), undefined), {
      kind: "set-phase",
      phase: "Released",
    });
  });

  test("counts as released for a claim of the same name that came later", () => {
    const later = aClaim({ metadata: { uid: "uid-later" }, spec: { volumeName: "v" } });
    assert.deepEqual(decideVolume(volume("Bound", { spec: { claimRef } }), later), {
      kind: "set-phase",
      phase: "Released",
    });
  });

  test("is removed with its data only when we made it and it is not to be kept", () => {
    const kindOf = (more: Partial<PersistentVolume>) => decideVolume(volume("Released", more), undefined).kind;
    assert.equal(kindOf({ metadata: ours, spec: { claimRef } }), "reclaim");
    assert.equal(kindOf({ spec: { claimRef } }), "none");
    assert.equal(kindOf({ metadata: ours, spec: { claimRef, persistentVolumeReclaimPolicy: "Retain" } }), "none");
  });

  test("is protected, and deleted only when it is not bound", () => {
    assert.equal(decideVolume(volume("Pending", { metadata: { finalizers: [] } }), undefined).kind, "protect");
    const going = { finalizers: ["kubernetes.io/pv-protection"], deletionTimestamp: "2030-01-01T00:00:00Z" };
    assert.equal(decideVolume(volume("Bound", { metadata: going, spec: { claimRef } }), claim).kind, "none");
    assert.equal(
      decideVolume(volume("Released", { metadata: going, spec: { claimRef } }), undefined).kind,
      "unprotect",
    );
  });
});
