import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { EtcdFacts } from "../model/etcd/facts.ts";
import { type ObjectEvent, objectOf } from "../world/stored-objects.ts";
import { differences } from "./end-state.ts";

/**
 * How many initial members never started: their pods, or claims, could not be made before the others had bootstrapped
 * the cluster without them. None of them may come later: once its cluster is on record it is not known any more that it
 * never ran, so another member joins in its place.
 */
export function lateFounders(versions: readonly EtcdCluster[], cameUp: ReadonlySet<string>): number {
  const newest = versions.at(-1);
  const { clusterID, incarnation } = newest?.status ?? {};
  if (!clusterID) return 0;
  const seeds = versions
    .filter(({ metadata }) => metadata.uid === newest?.metadata.uid)
    .flatMap(({ status }) => status?.memberIntents ?? [])
    .filter((intent) => intent.purpose === "Seed" && intent.incarnation === incarnation)
    .map(({ name }) => name);
  return [...new Set(seeds)].filter((name) => !cameUp.has(name)).length;
}

/** The versions of clusters, and the members that started, as the store and the model know it. */
export function foundersInModel(
  events: readonly ObjectEvent[],
  { starts }: Pick<EtcdFacts, "starts">,
): Parameters<typeof lateFounders> {
  const versions = events
    .filter(({ plural, kind }) => plural === "etcdclusters" && kind !== "deleted")
    .map((event) => objectOf(event) as EtcdCluster);
  return [versions, new Set(starts.filter(({ outcome }) => outcome !== "ended").map(({ pod }) => pod))];
}

interface Ended {
  readonly endState: readonly string[];
  readonly comingsAndGoings: readonly string[];
}

/**
 * How a run ended otherwise than the one without faults, where so many members came instead of late initial members.
 */
export function differencesBut(late: number, calm: Ended, run: Ended): readonly string[] {
  const counts = differences(calm.comingsAndGoings, withoutReplaced(late, calm.comingsAndGoings, run.comingsAndGoings));
  const values = differences(calm.endState, run.endState);
  return [...counts, ...(late > 0 ? values.filter((line) => !HOW_STARTED.test(line)) : values)];
}

/** What distinguishes an initial member from one that joined. */
const HOW_STARTED =
  /: pods\/\S+\.spec\.(?:containers\[etcd\]\.command\[\d+\]|initContainers\[guard\]\.env\[GUARD_START\]\.value) = /;

const MEMBERS = /^((?:pods|persistentvolumeclaims|persistentvolumes)\/\S+ (?:created|deleted)) (\d+) times$/;

/** The counts without what was created, and deleted again, for the late ones. */
function withoutReplaced(late: number, calm: readonly string[], run: readonly string[]): readonly string[] {
  return run.flatMap((line) => {
    const [, what = "", times = ""] = MEMBERS.exec(line) ?? [];
    if (what === "" || late === 0 || calm.includes(line)) return [line];
    const rest = Number(times) - late;
    return rest === 0 ? [] : [`${what} ${rest} times`];
  });
}
