import assert from "node:assert/strict";
import { stored } from "@etcd-operator/testing/local/stored-objects.ts";
import type { Node, Taint } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { conditionsOfSilentNode, wantedTaints } from "./node-health.ts";

const now = "2030-01-01T00:00:00Z";

function aNode(ready: string | undefined, taints: Taint[] = [], unschedulable = false) {
  const told = { lastHeartbeatTime: now, lastTransitionTime: "2029-01-01T00:00:00Z" };
  const conditions = ready === undefined ? [] : [{ type: "Ready", status: ready, reason: "Told", ...told }];
  return stored<Node>("a", { spec: { taints, ...(unschedulable && { unschedulable }) }, status: { conditions } });
}

const short = (taints: readonly Taint[]) => taints.map(({ key, effect }) => `${key.split("/").at(-1)}:${effect}`);

describe("the taints of a node", () => {
  test.each<[string, Node, boolean, string[]]>([
    ["none when it is ready", aNode("True"), true, []],
    [
      "away and evicting when its kubelet does not report",
      aNode("Unknown"),
      true,
      ["unreachable:NoSchedule", "unreachable:NoExecute"],
    ],
    ["not ready and evicting when it says so", aNode("False"), true, ["not-ready:NoSchedule", "not-ready:NoExecute"]],
    ["not evicting when no other node is there", aNode("Unknown"), false, ["unreachable:NoSchedule"]],
    ["unschedulable when it is cordoned", aNode("True", [], true), true, ["unschedulable:NoSchedule"]],
    [
      "as admission made it while it has said nothing",
      aNode(undefined, [{ key: "x/not-ready", effect: "NoSchedule" }]),
      true,
      ["not-ready:NoSchedule"],
    ],
  ])("are %s", (_, node, isAnyReady, expected) => {
    assert.deepEqual(short(wantedTaints(node, isAnyReady, now)), expected);
  });

  test("that others put there stay, and ours go when the node is back", () => {
    const others: Taint[] = [
      { key: "mine", effect: "NoExecute" },
      { key: "node.kubernetes.io/out-of-service", effect: "NoExecute" },
    ];
    const away = wantedTaints(aNode("Unknown", others), true, now);
    assert.equal(away.length, 4);
    assert.deepEqual(wantedTaints(aNode("True", away), true, now), others);
  });

  test("keep the time at which they were added", () => {
    const first = wantedTaints(aNode("Unknown"), true, now);
    assert.deepEqual(wantedTaints(aNode("Unknown", first), true, "2031-01-01T00:00:00Z"), first);
  });
});

test("a node that is silent is unknown in all that only its kubelet could tell, since then", () => {
  const conditions = conditionsOfSilentNode(aNode("True"), now);
  assert.deepEqual(
    conditions.map(({ type, status, reason }) => [type, status, reason]),
    [
      ["Ready", "Unknown", "NodeStatusUnknown"],
      ["MemoryPressure", "Unknown", "NodeStatusNeverUpdated"],
      ["DiskPressure", "Unknown", "NodeStatusNeverUpdated"],
      ["PIDPressure", "Unknown", "NodeStatusNeverUpdated"],
    ],
  );
  assert.equal(conditions[0]?.lastTransitionTime, now);
  const [again] = conditionsOfSilentNode(stored<Node>("a", { status: { conditions } }), "2031-01-01T00:00:00Z");
  assert.equal(again?.lastTransitionTime, now);
});
