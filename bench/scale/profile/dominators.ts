import type { HeapGraph } from "./heap-graph.ts";

const NONE = 0xffff_ffff;

/** The graph in an order in which nobody comes before all that it leads to, and who is the last that everybody passes on the way to a node. */
export interface Dominators {
  /** Nodes that can be reached, the root last. */
  readonly postorder: Uint32Array;
  /** By node; the root's own is the root. */
  readonly of: Uint32Array;
}

/** By the iteration of Cooper, Harvey and Kennedy. */
export function dominators(graph: HeapGraph): Dominators {
  const postorder = postorderOf(graph);
  const rank = new Uint32Array(graph.size).fill(NONE);
  postorder.forEach((node, at) => {
    rank[node] = at;
  });
  const of = new Uint32Array(graph.size).fill(NONE);
  of[0] = 0;
  const common = (a: number, b: number): number => {
    let [one, other] = [a, b];
    while (one !== other) {
      if ((rank[one] ?? 0) < (rank[other] ?? 0)) one = of[one] ?? 0;
      else other = of[other] ?? 0;
    }
    return one;
  };
  const { firsts, sources } = reversed(graph);
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (let at = postorder.length - 2; at >= 0; at -= 1) {
      const node = postorder[at] ?? 0;
      let found = NONE;
      for (let edge = firsts[node] ?? 0; edge < (firsts[node + 1] ?? 0); edge += 1) {
        const source = sources[edge] ?? 0;
        if (of[source] !== NONE) found = found === NONE ? source : common(source, found);
      }
      if (of[node] !== found) isChanged = true;
      of[node] = found;
    }
  }
  return { postorder, of };
}

function postorderOf({ size, firsts, targets }: HeapGraph): Uint32Array {
  const [order, stack, next] = [new Uint32Array(size), new Uint32Array(size), new Uint32Array(size)];
  const isSeen = new Uint8Array(size);
  let [found, depth] = [0, 1];
  isSeen[0] = 1;
  while (depth > 0) {
    const node = stack[depth - 1] ?? 0;
    const edge = (firsts[node] ?? 0) + (next[node] ?? 0);
    if (edge < (firsts[node + 1] ?? 0)) {
      next[node] = (next[node] ?? 0) + 1;
      const target = targets[edge] ?? 0;
      if (isSeen[target]) continue;
      isSeen[target] = 1;
      stack[depth] = target;
      depth += 1;
    } else {
      order[found] = node;
      found += 1;
      depth -= 1;
    }
  }
  return order.subarray(0, found);
}

function reversed({ size, firsts, targets }: HeapGraph): {
  readonly firsts: Uint32Array;
  readonly sources: Uint32Array;
} {
  const starts = new Uint32Array(size + 1);
  for (const target of targets) starts[target + 1] = (starts[target + 1] ?? 0) + 1;
  for (let node = 0; node < size; node += 1) starts[node + 1] = (starts[node + 1] ?? 0) + (starts[node] ?? 0);
  const [sources, filled] = [new Uint32Array(targets.length), starts.slice()];
  for (let node = 0; node < size; node += 1) {
    for (let edge = firsts[node] ?? 0; edge < (firsts[node + 1] ?? 0); edge += 1) {
      const target = targets[edge] ?? 0;
      sources[filled[target] ?? 0] = node;
      filled[target] = (filled[target] ?? 0) + 1;
    }
  }
  return { firsts: starts, sources };
}
