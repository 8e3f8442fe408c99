import { compareVersions } from "@etcd-operator/etcd-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Situation } from "../model/situation.ts";
import type { Standing } from "../model/standing.ts";
import { outlivesMinor } from "./log-mark.rule.ts";
import { minorOf, reportedVersion } from "./version-step.rule.ts";

type LogMark = NonNullable<EtcdClusterStatus["logMark"]>;

/** Where in the log the lowest minor that members run began: what is older, and what older members wrote, lies before it. */
export function logMarkOf({ now, old }: Standing): LogMark | undefined {
  if (!now.status.clusterID) return undefined;
  const minor = lowestMinor(now);
  // Who has not said what it runs may run something older.
  if (!now.isConfirmed || minor === undefined) return old.logMark;
  if (!outlivesMinor(minor)) return undefined;
  if (old.logMark?.minor === minor && !hasUnsavedMembers(minor, now)) return old.logMark;
  const indexes = now.seen.pods.flatMap(({ answer }) => answer.status?.appliedIndex ?? []);
  return indexes.length > 0 ? { minor, raftIndex: Math.max(...indexes) } : undefined;
}

function lowestMinor(now: Situation): string | undefined {
  const versions = now.listed.map((member) => reportedVersion(member, now));
  const known = versions.filter((version) => version !== undefined);
  const [lowest] = known.sort(compareVersions);
  return lowest && known.length === versions.length ? minorOf(lowest) : undefined;
}

/**
 * Before 3.5 members come and go without a note of how far in the log that was. 3.5 then reads of them again, finds those that came
 * later in its own list, and takes them for members that somebody forgot to remove: measured on 3.4.23 to 3.5.35.
 */
function hasUnsavedMembers(minor: string, { listed, status }: Situation): boolean {
  if (minor !== "3.4") return false;
  const before = (status.memberStatus ?? []).flatMap(({ id }) => id ?? []).sort();
  const after = listed.map(({ etcd }) => etcd.id).sort();
  return before.join() !== after.join();
}
