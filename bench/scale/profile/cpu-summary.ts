export interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0, as columnNumber. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** What V8 writes into a .cpuprofile. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** In microseconds, one for each sample. */
  readonly timeDeltas: readonly number[];
}

/** Something, and the time that was spent in it. */
export interface Spent {
  readonly what: string;
  readonly ms: number;
  /** Of all but idling. */
  readonly share: number;
}

export interface CpuSummary {
  readonly busyMs: number;
  readonly passedMs: number;
  readonly byFunction: readonly Spent[];
  readonly byFile: readonly Spent[];
  /** Of functions that have a file, with all that they called; what they waited for is not in it. */
  readonly withCalled: readonly Spent[];
}

/** Where the time went, by function and by file, the most first. `fileOf` knows from which source a frame came. */
export function cpuSummary(profile: CpuProfile, fileOf: (frame: CallFrame) => string): CpuSummary {
  const selfMs = new Map<number, number>();
  profile.samples.forEach((id, at) => {
    selfMs.set(id, (selfMs.get(id) ?? 0) + (profile.timeDeltas[at] ?? 0) / 1000);
  });
  const frames = profile.nodes.map(({ id, callFrame }) => ({ callFrame, ms: selfMs.get(id) ?? 0 }));
  const busy = frames.filter(({ callFrame, ms }) => ms > 0 && callFrame.functionName !== "(idle)");
  const busyMs = sumOf(busy);
  const named = (frame: CallFrame) => `${frame.functionName || "(anonymous)"}  ${fileOf(frame)}`.trim();
  const sorted = (sums: ReadonlyMap<string, number>): Spent[] =>
    [...sums].map(([what, ms]) => ({ what, ms, share: ms / busyMs })).sort((a, b) => b.ms - a.ms);
  const grouped = (nameOf: (frame: CallFrame) => string) => {
    const sums = new Map<string, number>();
    for (const { callFrame, ms } of busy) sums.set(nameOf(callFrame), (sums.get(nameOf(callFrame)) ?? 0) + ms);
    return sorted(sums);
  };
  return {
    busyMs,
    passedMs: sumOf(frames),
    byFunction: grouped(named),
    byFile: grouped((frame) => fileOf(frame) || named(frame)),
    withCalled: sorted(withCalled(profile, selfMs, (frame) => (fileOf(frame) ? named(frame) : ""))),
  };
}

/** What a function calls through itself counts once. */
function withCalled(
  { nodes }: CpuProfile,
  selfMs: ReadonlyMap<number, number>,
  nameOf: (frame: CallFrame) => string,
): ReadonlyMap<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const sums = new Map<string, number>();
  const visit = (id: number, above: ReadonlySet<string>): number => {
    const { callFrame, children = [] } = byId.get(id) ?? { callFrame: NOWHERE };
    const name = nameOf(callFrame);
    const below = name === "" || above.has(name) ? above : new Set([...above, name]);
    const ms = children.reduce((sum, child) => sum + visit(child, below), selfMs.get(id) ?? 0);
    if (below !== above) sums.set(name, (sums.get(name) ?? 0) + ms);
    return ms;
  };
  visit(nodes[0]?.id ?? 0, new Set());
  return sums;
}

const NOWHERE: CallFrame = { functionName: "", url: "", lineNumber: 0, columnNumber: 0 };

function sumOf(list: readonly { readonly ms: number }[]): number {
  return list.reduce((sum, { ms }) => sum + ms, 0);
}

/** The most of a summary, as lines of text. */
export function linesOf(title: string, summary: CpuSummary, most = 30): string {
  const { busyMs, passedMs, byFunction, byFile } = summary;
  const ours = summary.withCalled.filter(({ what }) => what.includes("  src/"));
  const line = ({ what, ms, share }: Spent) =>
    `  ${(share * 100).toFixed(1).padStart(5)} %  ${ms.toFixed(0).padStart(6)} ms  ${what}`;
  return [
    `${title}: busy for ${busyMs.toFixed(0)} of ${passedMs.toFixed(0)} ms`,
    " by file",
    ...byFile.slice(0, most).map(line),
    " by function",
    ...byFunction.slice(0, most).map(line),
    " by function of ours, with all that it calls",
    ...ours.slice(0, 2 * most).map(line),
  ].join("\n");
}
