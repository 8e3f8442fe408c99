import assert from "node:assert/strict";
import { planned, READY } from "@etcd-operator/testing/restore/a-ready-restore.ts";
import { aRestoreSeen, type RestoreGiven as Given, UID } from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { describe, test } from "vitest";
import { SCOPE_ANNOTATION } from "../../api/group.ts";
import { createActor } from "../act.ts";
import { plan } from "../plan.ts";

const OTHER = { name: "by-hand", uid: "another", state: "Joining", incarnation: 2, revision: 1 };
const metadata = { ownerReferences: [{ uid: "cluster-uid" }] } as never;

describe("a restore that the operator made, because the majority was lost", () => {
  const lost = { status: { majorityLostSince: "2030-01-01T11:00:00Z" } as object };
  test.each<[string, Given, string]>([
    ["asks while it still is", { ...READY, metadata, cluster: lost as never }, "request"],
    ["fails when the majority came back", { ...READY, metadata }, "fail QuorumRegained"],
    [
      "fails when another restore has begun, also if what that restored is lost again",
      { ...READY, metadata, cluster: { status: { ...lost.status, restore: OTHER } as never } },
      "fail Superseded",
    ],
    [
      "asks when it was itself that had begun, before its spec was edited",
      { ...READY, metadata, cluster: { status: { ...lost.status, restore: { ...OTHER, uid: `${UID}-1` } } as never } },
      "request",
    ],
    [
      "does not ask again either",
      { ...READY, metadata, status: { ...READY.status, phase: "Restoring" } },
      "fail QuorumRegained",
    ],
    [
      "goes on once the cluster has begun, whose members are set aside",
      { ...READY, metadata, status: { ...READY.status, phase: "Restoring" }, state: "Fencing" },
      "request",
    ],
  ])("%s", (_, given, kind) => {
    assert.equal(planned(given), kind);
  });

  test.each(["verify", "save"] as const)("is not tried again and again to %s when the majority came back", (kind) => {
    const status = kind === "verify" ? { phase: "Verifying" as const } : READY.status;
    const at = (progress: object) => ({ ...READY.runs, [kind]: { kind: "running", progress } }) as never;
    const away = at({ step: "Opening the store", trouble: "Attempt 9 failed" });
    assert.equal(planned({ ...READY, status, metadata, runs: away }), "fail QuorumRegained");
    assert.equal(planned({ ...READY, status, metadata, runs: at({ step: "Reading" }) }).split(" ")[0], "hold");
    assert.equal(planned({ ...READY, status, metadata, runs: away, cluster: lost as never }).split(" ")[0], "hold");
  });

  test("reports that nothing was changed", () => {
    assert.match(plan(aRestoreSeen({ ...READY, metadata })).message, /quorum is restored; nothing was changed$/);
  });
});

describe("the last look before the request", () => {
  const lost = { majorityLostSince: "2030-01-01T11:00:00Z" };
  const seen = aRestoreSeen({ ...READY, metadata, cluster: { status: lost as never } });
  const signal = new AbortController().signal;

  /** Asks with the cluster as it is by now. */
  async function asked(status: object, live: object = {}) {
    const patched: unknown[] = [];
    const get = async ({ kind }: { readonly kind: string }) =>
      kind === "EtcdCluster"
        ? { ...seen.cluster, status }
        : { ...seen.restore, metadata: { ...seen.restore.metadata, ...live } };
    const writer = { patch: async (...call: unknown[]) => patched.push(call) };
    const act = createActor({
      client: { get } as never,
      fence: () => undefined,
      startWork: async () => undefined,
      dropRuns: async () => undefined,
    });
    const { kind } = await act(seen, plan(seen), { writer: writer as never, signal });
    return [kind, patched.length];
  }

  test("finds the majority still lost, and asks", async () => {
    assert.deepEqual(await asked(lost), ["done", 1]);
  });

  test("finds that the restore is in another operator's scope by now, and writes nothing", async () => {
    const annotations = { [SCOPE_ANNOTATION]: "clusterwide" };
    await assert.rejects(asked(lost, { annotations }), { code: "not-ours" });
  });

  test("finds that another restore has begun, and writes nothing", async () => {
    assert.deepEqual(await asked({ ...lost, restore: OTHER }), ["postponed", 0]);
  });

  test("finds the majority back, which is not in the cache yet, and writes nothing", async () => {
    assert.deepEqual(await asked({}), ["postponed", 0]);
  });
});
