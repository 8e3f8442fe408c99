/** One start of an etcd as its own log shows it. */
export interface MemberStart {
  readonly pod: string;
  readonly time: string;
  /** With nothing, as a member that has never been; or from its log. */
  readonly from: "nothing" | "log";
  readonly memberId: string;
  readonly clusterId: string;
}

/** The start that a line of a log reports; undefined for every other line. */
export function memberStart(pod: string, time: string, text: string): MemberStart | undefined {
  if (!text.includes("tarting ")) return undefined;
  const [, how, memberId, clusterId] = OLDER.exec(text) ?? structured(text);
  if (!how || !memberId || !clusterId) return undefined;
  return { pod, time, from: how === "starting" ? "nothing" : "log", memberId, clusterId };
}

/** As etcd says it before 3.5. */
const OLDER = /\b(starting|restarting) member ([0-9a-f]+) in cluster ([0-9a-f]+)/;

function structured(text: string): readonly (string | undefined)[] {
  const [, how] = /"msg":"(starting|restarting) local member"/.exec(text) ?? [];
  const [, memberId] = /"local-member-id":"([0-9a-f]+)"/.exec(text) ?? [];
  const [, clusterId] = /"cluster-id":"([0-9a-f]+)"/.exec(text) ?? [];
  return [text, how, memberId, clusterId];
}

/** What is no amnesia in a plan. */
export interface Allowed {
  /** The clusters that there were; undefined where members may start as of any. */
  readonly clusterIds?: readonly string[] | undefined;
  /**
   * The pod of one that had no vote yet, or bootstrapped a cluster that was not on record yet, and so may begin again,
   * or in a cluster that was never completed.
   */
  readonly beginner?: string | undefined;
}

/**
 * Starts that must never be: of a member that had run before, with nothing; of a cluster that is not this one, where
 * that is asked. A member that starts from the log that a restore made for it has not started with nothing.
 */
export function amnesicStarts(starts: readonly MemberStart[], { clusterIds, beginner }: Allowed): readonly string[] {
  const seen = new Set<string>();
  return starts.flatMap((start) => {
    const { pod, time, from, memberId, clusterId } = start;
    const hasRun = seen.has(memberId);
    seen.add(memberId);
    if (pod === beginner) return [];
    const what = `${time}: ${pod} started member ${memberId} of cluster ${clusterId} from ${from}`;
    return [
      ...(from === "nothing" && hasRun ? [`${what}, which had run before`] : []),
      ...(clusterIds?.includes(clusterId) === false ? [`${what}, which is not ${clusterIds.join(" or ")}`] : []),
    ];
  });
}
