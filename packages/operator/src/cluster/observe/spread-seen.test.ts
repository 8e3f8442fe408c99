import assert from "node:assert/strict";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import {
  anObservation,
  healthy,
  leader,
  type ObservationGiven,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { Source } from "./kubernetes-source.ts";
import { nodeSeen } from "./node-seen.ts";
import { SurgeMemory, spreadSeen } from "./spread-seen.ts";

const on = (nodeName: string) => ({ pod: { nodeName } });
const members = [leader("a", on("n1")), healthy("b", on("n2")), healthy("c", on("n1"))];
const seenWith = (given: Partial<ObservationGiven> = {}) =>
  anObservation({ members, size: 3, spec: { rebalance: "Automatic" }, ...given });
const READY = { conditions: [{ type: "Ready", status: "True" }] };

function source(
  nodes: object[] | Error,
  backups: object[] = [],
): Pick<Source, "nodes" | "backups"> & { asked: number } {
  const asking = {
    asked: 0,
    nodes: async () => {
      asking.asked += 1;
      if (nodes instanceof Error) throw nodes;
      return nodes;
    },
    backups: async () => backups,
  };
  return asking as never;
}

describe("what moving a member needs to know", () => {
  test("is read when all has been well for long enough, and not before", async () => {
    const from = source([{ metadata: { name: "n3" }, status: READY }]);
    assert.deepEqual(await spreadSeen(seenWith({ seen: { seenFor: { ms: () => 0 } } }), 0, from), { attempts: 0 });
    assert.equal(await spreadSeen(seenWith({ spec: {} }), 0, from), undefined);
    assert.equal(from.asked, 0);
    const nodes = [{ name: "n3", isUsable: true }];
    assert.deepEqual(await spreadSeen(seenWith(), 0, from), { attempts: 0, nodes, isBackupRunning: false });
  });

  test("has each EtcdBackup of the namespace that is being taken", async () => {
    const from = source([], [{ status: { progress: { step: "Uploading" } } }]);
    assert.equal((await spreadSeen(seenWith(), 0, from))?.isBackupRunning, true);
  });

  test("says what to do where the operator may not list nodes", async () => {
    const from = source(new KubernetesError("forbidden", { operation: "LIST nodes", message: "no" }));
    const why = "grant the operator permission to list nodes, or move a member manually";
    assert.deepEqual(await spreadSeen(seenWith(), 2, from), { attempts: 2, why });
  });
});

describe("how many members came for it", () => {
  test("counts each once, and begins again where no node is crowded", () => {
    const memory = new SurgeMemory();
    const surging = seenWith({ members: [...members, healthy("d", { listed: "learner" })] });
    assert.equal(memory.learn("k", seenWith()), 0);
    assert.equal(memory.learn("k", surging), 1);
    assert.equal(memory.learn("k", surging), 1);
    assert.equal(memory.learn("k", seenWith()), 1);
    assert.equal(memory.learn("k", surging), 2);
    assert.equal(memory.learn("k", seenWith({ membership: "unknown" })), 2);
    const apart = [leader("a", on("n1")), healthy("b", on("n2")), healthy("c", on("n3"))];
    assert.equal(memory.learn("k", seenWith({ members: apart })), 0);
  });
});

describe("a node", () => {
  const noted = (node: object, pod: object = {}) =>
    nodeSeen({ metadata: { name: "n", labels: { disk: "ssd" } }, status: READY, ...node }, { pod } as never).isUsable;
  const required = (nodeSelectorTerms: object[]) => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  });
  const affinity = (key: string, operator: string, values?: string[]) => ({
    affinity: required([{ matchExpressions: [{ key, operator, ...(values && { values }) }] }]),
  });
  const IN_N = { operator: "In", values: ["n"] };
  const tainted = (effect: string) => ({ spec: { taints: [{ key: "db", value: "x", effect }] } });

  test.each([
    ["that is ready", {}, {}, true],
    ["that is not ready", { status: { conditions: [] } }, {}, false],
    ["that is cordoned", { spec: { unschedulable: true } }, {}, false],
    ["with the labels that members ask for", {}, { nodeSelector: { disk: "ssd" } }, true],
    ["with other labels", {}, { nodeSelector: { disk: "hdd" } }, false],
    ["with a taint", tainted("NoSchedule"), {}, false],
    ["with a taint that is a preference", tainted("PreferNoSchedule"), {}, true],
    ["with a taint that members tolerate", tainted("NoExecute"), { tolerations: [{ key: "db", value: "x" }] }, true],
    [
      "with a taint, for those that tolerate any",
      tainted("NoSchedule"),
      { tolerations: [{ operator: "Exists" }] },
      true,
    ],
    ["that the affinity of members asks for", {}, affinity("disk", "In", ["ssd"]), true],
    ["that the affinity of members bars", {}, affinity("disk", "NotIn", ["ssd"]), false],
    ["without a label that their affinity asks for", {}, affinity("zone", "Exists"), false],
    ["without a label that their affinity bars", {}, affinity("zone", "DoesNotExist"), true],
    ["for an affinity that asks for nothing", {}, { affinity: required([{}]) }, false],
    ["by its name", {}, { affinity: required([{ matchFields: [{ ...IN_N, key: "metadata.name" }] }]) }, true],
    ["with a taint of another value", tainted("NoSchedule"), { tolerations: [{ key: "db", value: "y" }] }, false],
  ])("%s", (_, node, pod, isUsable) => {
    assert.equal(noted(node, pod), isUsable);
  });
});
