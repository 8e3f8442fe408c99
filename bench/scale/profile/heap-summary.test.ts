import assert from "node:assert/strict";
import { test } from "vitest";
import { type HeapSnapshot, heapGraph } from "./heap-graph.ts";
import { heapSummary } from "./heap-summary.ts";

/** Names with their sizes, the root first, and who refers to whom; a "?" before a number means weakly. */
function aSnapshot(objects: readonly (readonly [string, number])[], refs: Readonly<Record<number, readonly string[]>>) {
  const strings = objects.map(([name]) => name);
  const all = objects.map((_, at) => refs[at] ?? []);
  const snapshot: HeapSnapshot = {
    snapshot: {
      meta: {
        node_fields: ["type", "name", "id", "self_size", "edge_count"],
        node_types: [["hidden", "object", "string"]],
        edge_fields: ["type", "name_or_index", "to_node"],
        edge_types: [["property", "weak"]],
      },
    },
    nodes: objects.flatMap(([, size], at) => [1, at, at, size, all[at]?.length ?? 0]),
    edges: all.flat().flatMap((to) => [to.startsWith("?") ? 1 : 0, 0, Number(to.replace("?", "")) * 5]),
    strings,
  };
  return heapGraph(snapshot);
}

test("what only one keeps alive is its own, and what two share is kept by whoever has both", () => {
  const graph = aSnapshot(
    [
      ["root", 0],
      ["Owner", 10],
      ["Cache", 1],
      ["Session", 2],
      ["Pod", 100],
      ["Buffer", 1_000],
    ],
    { 0: ["1"], 1: ["2", "3"], 2: ["4", "5"], 3: ["5"] },
  );
  const shares = new Map(heapSummary(graph).map((share) => [share.name, share.retainedBytes]));
  assert.equal(shares.get("Owner"), 1_113);
  assert.equal(shares.get("Cache"), 101);
  assert.equal(shares.get("Session"), 2);
  assert.equal(shares.get("Buffer"), 1_000);
});

test("one that is kept by its like counts once, and one that nobody keeps not at all", () => {
  const graph = aSnapshot(
    [
      ["root", 0],
      ["Map", 1],
      ["Map", 2],
      ["Lost", 7],
    ],
    { 0: ["1", "?3"], 1: ["2"], 2: ["1"] },
  );
  const shares = heapSummary(graph).filter(({ name }) => name !== "root");
  assert.deepEqual(shares, [{ name: "Map", count: 2, selfBytes: 3, retainedBytes: 3 }]);
});
