import { isBehind, type LogPlace } from "../guard/log-reached.ts";

/**
 * The record of its cluster on the claim of a member. An EtcdCluster that is created after the previous one was deleted
 * has no other source: it says how many members make a majority, and that the members' addresses are those of the spec.
 */
export interface ClusterRecord extends LogPlace {
  /** What the member ran; absent where it had not said. */
  readonly version?: string;
  /** Peer URLs of all voters, by member id in hexadecimal. */
  readonly voters: Readonly<Record<string, string>>;
}

/** Far more than a cluster of seven needs; an annotation may be anything. */
const LONGEST_TEXT = 16_384;
const MOST_VOTERS = 16;

export function formatClusterRecord({ term, index, version, voters }: ClusterRecord): string {
  return JSON.stringify({ term, index, ...(version !== undefined && { version }), voters: sorted(voters) });
}

/** Undefined when it is not what we write. */
export function parseClusterRecord(text: string): ClusterRecord | undefined {
  if (text === "" || text.length > LONGEST_TEXT) return undefined;
  try {
    const { term, index, version, voters } = Object(JSON.parse(text)) as Record<string, unknown>;
    if (![term, index].every((count) => Number.isSafeInteger(count) && (count as number) >= 0)) return undefined;
    if (!isVoters(voters) || (version !== undefined && typeof version !== "string")) return undefined;
    return { term: term as number, index: index as number, ...(version && { version }), voters };
  } catch {
    return undefined;
  }
}

/** Whether two say the same, whenever they were written. */
export function isSameRecord(a: ClusterRecord, b: ClusterRecord): boolean {
  return a.version === b.version && JSON.stringify(sorted(a.voters)) === JSON.stringify(sorted(b.voters));
}

/** The one that was written last, by the log of the cluster; undefined when there is none. */
export function newestRecord(
  made: readonly { readonly record?: ClusterRecord | undefined }[],
): ClusterRecord | undefined {
  const [first, ...others] = made.flatMap(({ record }) => record ?? []);
  return others.reduce<ClusterRecord | undefined>((newest, each) => {
    return newest && isBehind(newest, each) ? each : newest;
  }, first);
}

function isVoters(found: unknown): found is Record<string, string> {
  if (typeof found !== "object" || found === null || Array.isArray(found)) return false;
  const entries = Object.entries(found);
  if (entries.length === 0 || entries.length > MOST_VOTERS) return false;
  return entries.every(([id, url]) => id !== "" && typeof url === "string");
}

function sorted(voters: ClusterRecord["voters"]): ClusterRecord["voters"] {
  return Object.fromEntries(Object.entries(voters).sort(([a], [b]) => (a < b ? -1 : 1)));
}
