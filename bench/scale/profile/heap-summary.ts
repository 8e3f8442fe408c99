import { dominators } from "./dominators.ts";
import type { HeapGraph } from "./heap-graph.ts";

/** All objects of a name. */
export interface HeapShare {
  readonly name: string;
  readonly count: number;
  readonly selfBytes: number;
  /** What would go with them, and only with them; what one of them keeps through another of the same name counts once. */
  readonly retainedBytes: number;
}

/** Who keeps the memory, by name, the most first. */
export function heapSummary(graph: HeapGraph): readonly HeapShare[] {
  const { postorder, of } = dominators(graph);
  const retained = graph.selfSizes.slice();
  for (const node of postorder)
    if (node !== 0) retained[of[node] ?? 0] = (retained[of[node] ?? 0] ?? 0) + (retained[node] ?? 0);
  const shares = new Map<string, { count: number; selfBytes: number; retainedBytes: number }>();
  const isBelowItsLike = likesAbove(graph, of);
  for (const node of postorder) {
    const name = graph.nameOf(node);
    const share = shares.get(name) ?? { count: 0, selfBytes: 0, retainedBytes: 0 };
    shares.set(name, share);
    share.count += 1;
    share.selfBytes += graph.selfSizes[node] ?? 0;
    if (!isBelowItsLike(node, name)) share.retainedBytes += retained[node] ?? 0;
  }
  return [...shares].map(([name, share]) => ({ name, ...share })).sort((a, b) => b.retainedBytes - a.retainedBytes);
}

/** Whether one of the same name keeps a node alive. */
function likesAbove({ nameOf }: HeapGraph, of: Uint32Array): (node: number, name: string) => boolean {
  return (node, name) => {
    for (let above = node; above !== 0; ) {
      above = of[above] ?? 0;
      if (above !== 0 && nameOf(above) === name) return true;
    }
    return false;
  };
}
