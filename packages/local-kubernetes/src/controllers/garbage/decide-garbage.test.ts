import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { describe, test } from "vitest";
import { decideGarbage, type OwnerState } from "./decide-garbage.ts";
import { FOREGROUND, type GraphNode, ORPHAN, OwnershipGraph } from "./ownership-graph.ts";

function aNode(uid: string, more: Partial<GraphNode> = {}): GraphNode {
  return {
    uid,
    resource: resources.configMaps,
    ref: { name: uid },
    owners: [],
    isGoing: false,
    finalizers: [],
    ...more,
  };
}

const ownedBy = (uid: string, blockOwnerDeletion = true) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: uid,
  uid,
  blockOwnerDeletion,
});

function decide(states: readonly OwnerState[], node = aNode("me"), dependents: readonly GraphNode[] = []) {
  const owners = states.map((state, index) => ({ reference: ownedBy(`owner-${index}`), state }));
  return decideGarbage({ node, owners, dependents });
}

const child = aNode("child", { owners: [ownedBy("me")] });

describe("an object", () => {
  test("without owners is left alone", () => assert.deepEqual(decide([]), { kind: "none" }));

  test("goes when all of its owners are gone", () => {
    assert.deepEqual(decide(["absent", "absent"]), { kind: "delete", propagationPolicy: "Background" });
  });

  test("stays while one owner is there, or might be, and forgets the others", () => {
    assert.deepEqual(decide(["present"]), { kind: "none" });
    assert.deepEqual(decide(["unknown"]), { kind: "none" });
    assert.deepEqual(decide(["absent", "present"]), { kind: "forget-owners", uids: ["owner-0"] });
    assert.deepEqual(decide(["waiting-for-dependents", "unknown"]), { kind: "forget-owners", uids: ["owner-0"] });
  });

  test("whose owner waits for it goes, after its own dependents", () => {
    assert.deepEqual(decide(["waiting-for-dependents"]), { kind: "delete", propagationPolicy: "Background" });
    assert.deepEqual(decide(["waiting-for-dependents"], aNode("me"), [child]), {
      kind: "delete",
      propagationPolicy: "Foreground",
    });
  });

  test("goes the way that its finalizers ask for", () => {
    assert.deepEqual(decide(["absent"], aNode("me", { finalizers: [ORPHAN] })), {
      kind: "delete",
      propagationPolicy: "Orphan",
    });
  });
});

describe("an object that is going", () => {
  const going = (finalizer: string) => aNode("me", { isGoing: true, finalizers: [finalizer] });

  test("is let go when no dependent holds it up", () => {
    const free = aNode("child", { owners: [ownedBy("me", false)] });
    assert.deepEqual(decide([], going(FOREGROUND), [free]), { kind: "remove-finalizer", finalizer: FOREGROUND });
  });

  test("waits for dependents that hold it up", () => {
    assert.deepEqual(decide([], going(FOREGROUND), [child]), { kind: "delete-dependents", dependents: [child] });
  });

  test("leaves its dependents behind before it is let go, when it shall", () => {
    assert.deepEqual(decide([], going(ORPHAN), [child]), { kind: "orphan-dependents", dependents: [child] });
    assert.deepEqual(decide([], going(ORPHAN)), { kind: "remove-finalizer", finalizer: ORPHAN });
  });

  test("is left alone otherwise", () => {
    assert.deepEqual(decide(["absent"], going("example.com/mine")), { kind: "none" });
  });
});

test("the graph knows dependents before their owners, and follows a change of owners", () => {
  const graph = new OwnershipGraph();
  graph.set(child);
  assert.deepEqual(graph.dependentsOf("me"), [child]);
  graph.set(aNode("child", { owners: [ownedBy("other")] }));
  assert.deepEqual(graph.dependentsOf("me"), []);
  assert.equal(graph.dependentsOf("other").length, 1);
  graph.remove("child");
  assert.deepEqual(graph.dependentsOf("other"), []);
});
