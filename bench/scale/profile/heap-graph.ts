/** As much of a .heapsnapshot as tells who keeps how much alive. */
export interface HeapSnapshot {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly (string | readonly string[])[];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly (string | readonly string[])[];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
}

/** Objects and who refers to whom, without references that keep nothing alive; 0 is the root. */
export interface HeapGraph {
  readonly size: number;
  readonly nameOf: (node: number) => string;
  readonly selfSizes: Float64Array;
  /** Where the references of a node begin in `targets`; those of the next one begin where they end. */
  readonly firsts: Uint32Array;
  readonly targets: Uint32Array;
}

export function heapGraph({ snapshot, nodes, edges, strings }: HeapSnapshot): HeapGraph {
  const { node_fields: fields, edge_fields: edgeFields, node_types: types, edge_types: edgeTypes } = snapshot.meta;
  const [type, name, self, count] = ["type", "name", "self_size", "edge_count"].map((field) =>
    fields.indexOf(field),
  ) as [number, number, number, number];
  const [edgeType, to] = ["type", "to_node"].map((field) => edgeFields.indexOf(field)) as [number, number];
  const weak = (edgeTypes[0] ?? []).indexOf("weak");
  const size = nodes.length / fields.length;
  const [selfSizes, firsts, targets] = [
    new Float64Array(size),
    new Uint32Array(size + 1),
    new Uint32Array(edges.length / edgeFields.length),
  ];
  const at = (node: number, field: number) => nodes[node * fields.length + field] ?? 0;
  let [kept, edge] = [0, 0];
  for (let node = 0; node < size; node += 1) {
    selfSizes[node] = at(node, self);
    firsts[node] = kept;
    for (const end = edge + at(node, count) * edgeFields.length; edge < end; edge += edgeFields.length) {
      if (edges[edge + edgeType] === weak) continue;
      targets[kept] = (edges[edge + to] ?? 0) / fields.length;
      kept += 1;
    }
  }
  firsts[size] = kept;
  const nameOf = (node: number) => {
    const kind = types[0]?.[at(node, type)] ?? "";
    return kind === "object" || kind === "native" ? (strings[at(node, name)] ?? "") : `(${kind})`;
  };
  return { size, nameOf, selfSizes, firsts, targets: targets.subarray(0, kept) };
}
