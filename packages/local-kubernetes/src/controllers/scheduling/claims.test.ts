import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { aClaim, aPod } from "@etcd-operator/testing/local/stored-objects.ts";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { standardClass } from "../storage/objects.ts";
import { claimsState } from "./claims.ts";

const pod = aPod("user", { spec: { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "claim" } }] } });

function stateWith(claim: Stored<PersistentVolumeClaim> | undefined, mode = "WaitForFirstConsumer") {
  return claimsState(
    pod,
    () => claim,
    () => ({ ...standardClass, volumeBindingMode: mode }),
  );
}

describe("the claims of a pod", () => {
  test("let it be scheduled once they are bound", () => {
    assert.deepEqual(stateWith(aClaim({ status: { phase: "Bound" } })), { kind: "bound" });
    assert.deepEqual(
      claimsState(
        aPod("a"),
        () => undefined,
        () => undefined,
      ),
      { kind: "bound" },
    );
  });

  test("may wait for its node", () => {
    assert.equal(stateWith(aClaim({ status: { phase: "Pending" } })).kind, "wait-for-node");
  });

  test.each<[string, ReturnType<typeof stateWith>]>([
    ['persistentvolumeclaim "claim" not found', stateWith(undefined)],
    ["pod has unbound immediate PersistentVolumeClaims", stateWith(aClaim(), "Immediate")],
    ['persistentvolumeclaim "claim" bound to non-existent volume', stateWith(aClaim({ status: { phase: "Lost" } }))],
    [
      'persistentvolumeclaim "claim" is being deleted',
      stateWith(aClaim({ metadata: { deletionTimestamp: "2030-01-01T00:00:00Z" } })),
    ],
  ])("hold it up: %s", (message, state) => assert.deepEqual(state, { kind: "obstacle", message }));
});
