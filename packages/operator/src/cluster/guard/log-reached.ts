/** A place in etcd's log: an entry, and the term in which its leader was elected. */
export interface LogPlace {
  readonly term: number;
  readonly index: number;
}

/** How far the log of a member had certainly got on its disk, and when. */
export interface LogReached extends LogPlace {
  /** Of the keys: it grows only with writes, the log also when members are added and removed. */
  readonly revision: number;
  /** As Kubernetes writes times. */
  readonly at: string;
}

/**
 * Whether a log that ends in one place lacks what is at another, by Raft's own comparison: a log with an entry of a
 * later term got it from a leader that had all that was agreed on before. So an end that was never agreed on, and was
 * overwritten since, does not count for more.
 */
export function isBehind(end: LogPlace, place: LogPlace): boolean {
  return end.term < place.term || (end.term === place.term && end.index < place.index);
}

export function formatLogReached({ term, index, revision, at }: LogReached): string {
  return JSON.stringify({ term, index, revision, at });
}

/** Undefined when it is not what we write. */
export function parseLogReached(text: string): LogReached | undefined {
  try {
    const { term, index, revision, at } = Object(JSON.parse(text)) as Record<string, unknown>;
    if (![term, index, revision].every(isCount) || typeof at !== "string") return undefined;
    return { term: term as number, index: index as number, revision: revision as number, at };
  } catch {
    return undefined;
  }
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
