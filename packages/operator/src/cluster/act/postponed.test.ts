import assert from "node:assert/strict";
import {
  KubernetesError,
  type KubernetesErrorCode,
  type StatusCause,
} from "@etcd-operator/kubernetes-client/requests/kubernetes-error.ts";
import { describe, test } from "vitest";
import { allOf, DONE, postponed, settled, unlessChanged } from "./postponed.ts";

const failing = (code: KubernetesErrorCode, ...causes: readonly StatusCause[]) => {
  return async () => {
    throw new KubernetesError(code, { operation: "PATCH /x", message: "no", causes });
  };
};

describe("a write under preconditions", () => {
  test("is done, or postponed when another client wrote first", async () => {
    assert.deepEqual(await unlessChanged("Pod a", async () => "written"), DONE);
    const changed = postponed("Pod a has changed since it was read");
    assert.deepEqual(await unlessChanged("Pod a", failing("conflict")), changed);
    // A real API server takes another UID in a patch for an attempt to change it.
    assert.deepEqual(await unlessChanged("Pod a", failing("invalid", { field: "metadata.uid" })), changed);
    const gone = { ...postponed("Pod a does not exist any more"), isGone: true };
    assert.deepEqual(await unlessChanged("Pod a", failing("not-found")), gone);
  });

  test("that fails for another reason has failed", async () => {
    await assert.rejects(unlessChanged("Pod a", failing("invalid", { field: "spec.x" })), { code: "invalid" });
    await assert.rejects(unlessChanged("Pod a", failing("timeout")), { code: "timeout" });
  });
});

describe("several at once", () => {
  test("are done when all are, and else what the first that could not be done is", async () => {
    assert.deepEqual(await allOf([]), DONE);
    assert.deepEqual(await allOf([Promise.resolve(DONE), Promise.resolve(postponed("b"))]), postponed("b"));
  });

  test("have all ended before one's failure is reported", async () => {
    let hasEnded = false;
    const slow = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      hasEnded = true;
    });
    await assert.rejects(settled([failing("timeout")(), slow]), { code: "timeout" });
    assert.equal(hasEnded, true);
  });
});
