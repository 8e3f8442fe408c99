/** A write to the API server, and what it left in the store. */
export interface SeenWrite {
  readonly atMs: number;
  /** Such as "PATCH". */
  readonly verb: string;
  /** Such as "pods" or "etcdclusters/status". */
  readonly resource: string;
  readonly name: string;
  /** The object that it belongs to, such as "EtcdCluster a". */
  readonly owner?: string | undefined;
  /** What is stored after the write, without times and versions, or GONE; undefined for a write that was refused. */
  readonly stored?: string | undefined;
}

/** In the place of what is stored, once nothing is. */
export const GONE = "gone";

/** More writes of one kind than this, without progress and within so long, are a loop. */
const MOST = 5;
const WITHIN_MS = 10_000;
/** What is deleted within so long belongs together, such as the first members of a cluster. */
const TOGETHER_MS = 500;

/**
 * The loops among the writes of one client, in the order in which they were sent. A write is progress when it leaves
 * something in the store that no write to the object has left there within the last ten seconds: so nothing that is
 * refused, changes nothing or alternates between two states is. An object that is created and deleted again within ten
 * seconds was made for nothing, whatever its name is. A client that waits longer each time is in no loop. A disruption
 * budget follows the number of members, so it may return to a state for each new pod of its cluster.
 */
export function loopsIn(writes: readonly SeenWrite[]): readonly string[] {
  const seen = new Recent();
  const idle = new Recent();
  const made = new Map<string, SeenWrite>();
  const worst = new Map<string, number>();
  const podsOf = new Map<string, number>();
  const count = (what: string, atMs: number) => {
    idle.add(what, atMs);
    const times = idle.of(what, atMs);
    if (times.length > MOST && !isBackingOff(times)) worst.set(what, Math.max(times.length, worst.get(what) ?? 0));
  };
  for (const write of writes) {
    const { atMs, verb, resource, name, owner = "" } = write;
    if (resource === "pods" && verb === "POST" && write.stored) podsOf.set(owner, (podsOf.get(owner) ?? 0) + 1);
    const isBudget = resource === "poddisruptionbudgets" && write.stored !== undefined;
    const stored = isBudget ? `${write.stored} at pod ${podsOf.get(owner) ?? 0}` : write.stored;
    const [plural = ""] = resource.split("/");
    const object = `${plural} ${name}`;
    const isProgress = stored !== undefined && seen.of(`${object} ${stored}`, atMs).length === 0;
    // Renewed every second while the API server is away: see decision 0041.
    const mayInsist = resource === "leases" && stored === undefined;
    if (!isProgress && !mayInsist) count(`${verb} ${resource} ${name}`, atMs);
    if (stored === undefined) continue;
    seen.add(`${object} ${stored}`, atMs);
    if (verb === "POST") made.set(object, write);
    const creation = verb === "DELETE" ? made.get(object) : undefined;
    if (creation) made.delete(object);
    if (creation?.owner === undefined || atMs - creation.atMs > WITHIN_MS) continue;
    const pair = `POST and DELETE ${resource} of ${creation.owner}`;
    if (atMs - (idle.of(pair, atMs).at(-1) ?? Number.NEGATIVE_INFINITY) >= TOGETHER_MS) count(pair, atMs);
  }
  return [...worst].map(
    ([what, times]) => `a loop: ${what}, ${times} times within ${WITHIN_MS / 1_000} s without progress`,
  );
}

/** Pauses that double, each shortened by up to a half: the last two are then more than all others together. */
function isBackingOff(times: readonly number[]): boolean {
  const [first = 0, beforeLastTwo = 0, last = 0] = [times[0], times.at(-3), times.at(-1)];
  return 2 * (last - beforeLastTwo) > last - first;
}

/** What happened within the last ten seconds. */
class Recent {
  readonly #times = new Map<string, number[]>();

  add(what: string, atMs: number): void {
    this.#times.set(what, [...this.of(what, atMs), atMs]);
  }

  of(what: string, atMs: number): readonly number[] {
    return (this.#times.get(what) ?? []).filter((ms) => atMs - ms < WITHIN_MS);
  }
}
