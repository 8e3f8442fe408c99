import assert from "node:assert/strict";
import type { Pass } from "@etcd-operator/controller-runtime";
import { createLogger } from "@etcd-operator/controller-runtime";
import { KubernetesError, type KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import { aRestoreSeen } from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { describe, test } from "vitest";
import { reconciler, type Steps } from "./reconcile.ts";
import { type RestoreStatus, statusAfter } from "./status.ts";

const { signal } = new AbortController();

/** The status that a pass leaves whose action fails so. */
async function statusAfterFailure(code: KubernetesErrorCode): Promise<RestoreStatus | undefined> {
  const written: RestoreStatus[] = [];
  const steps: Steps = {
    observe: async () => aRestoreSeen(),
    plan: () => ({ kind: "verify", reason: "Verifying", message: "Reading the backup" }),
    act: async () => {
      throw new KubernetesError(code, { operation: "PATCH etcdclusters", message: "no" });
    },
    statusAfter,
    writeStatus: async (_, status) => void written.push(status),
    eventsOf: () => [],
    record: () => undefined,
    forget: async () => undefined,
  };
  const pass = { mustReadLive: false, logger: createLogger({ write: () => undefined }) } as unknown as Pass;
  await assert.rejects(reconciler(steps)("prod/example", signal, pass), { code });
  return written[0];
}

describe("a restore whose action fails", () => {
  test.each(["forbidden", "invalid", "unavailable", "timeout", "too-many-requests"] as const)(
    "says so in its status: %s",
    async (code) => {
      const restored = (await statusAfterFailure(code))?.conditions?.find(({ type }) => type === "Restored");
      assert.deepEqual([restored?.status, restored?.reason], ["Unknown", "ActionFailed"]);
      assert.match(String(restored?.message), /^Reading the backup; but /);
    },
  );

  test("because somebody else wrote first leaves the status to the next look", async () => {
    assert.equal(await statusAfterFailure("conflict"), undefined);
  });
});
