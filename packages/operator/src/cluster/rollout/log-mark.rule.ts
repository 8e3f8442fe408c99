import { compareVersions, factsOf, parseVersion } from "@etcd-operator/etcd-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { ClusterState } from "../model/cluster-state.ts";
import type { PodSeen } from "../model/observation.ts";
import type { Situation } from "../model/situation.ts";
import { minorOf, reportedVersion } from "./version-step.rule.ts";

/**
 * etcd keeps so many entries in memory behind a snapshot of its log, and sends them to joining members; and a snapshot
 * comes some entries late, because entries are applied by the batch.
 */
const CATCH_UP_ENTRIES = 5_000;
const BATCH_ENTRIES = 500;

/**
 * The raft index that must be reached before a member may leave this minor, so that every member has saved what was in
 * it at the mark, and none reads it again or sends it to another; undefined when that does not matter, or the mark is
 * not known yet.
 */
export function turnedOverAt(minor: string, { seen, status, spec }: Situation): number | undefined {
  const { logMark } = status;
  if (logMark?.minor !== minor || !outlivesMinor(minor)) return undefined;
  const counts = seen.pods.map((pod) => snapshotCountOf(pod, spec.pod?.etcdEnv ?? []));
  return logMark.raftIndex + Math.max(0, ...counts) + CATCH_UP_ENTRIES + BATCH_ENTRIES;
}

/** Whether the minor after this one stumbles over what is left in the log. */
export function outlivesMinor(minor: string): boolean {
  const version = parseVersion(`${minor}.0`);
  return version !== undefined && factsOf(version).logOutlivesMinor;
}

type Variables = readonly { readonly name: string; readonly value?: string | undefined }[];

/**
 * After how many entries a member saves its log: as its pod's command says, or as its version does unless a variable
 * says more.
 */
function snapshotCountOf({ flags, answer, version }: PodSeen, variables: Variables): number {
  const flag = flags.find((each) => each.startsWith("--snapshot-count="));
  if (flag !== undefined) return numberIn(flag.split("=")[1]);
  const known = parseVersion(answer.status?.version ?? version ?? "");
  const variable = variables.find(({ name }) => name === "ETCD_SNAPSHOT_COUNT")?.value;
  return Math.max(known ? factsOf(known).snapshotCount : 0, numberIn(variable));
}

function numberIn(text: string | undefined): number {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : 0;
}

type LogMark = NonNullable<EtcdClusterStatus["logMark"]>;

/**
 * Where in the log the lowest minor that members run began: what is older, and what older members wrote, lies before
 * it.
 */
export function logMarkOf({ now, old }: ClusterState): LogMark | undefined {
  if (!now.status.clusterID) return undefined;
  const minor = lowestMinor(now);
  // A member that has not reported its version may run an older one.
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
 * Before 3.5 members come and go without a note of how far in the log that was. 3.5 then reads of them again, finds
 * those that came later in its own list, and takes them for members that were not removed: measured on 3.4.23 to
 * 3.5.35.
 */
function hasUnsavedMembers(minor: string, { listed, status }: Situation): boolean {
  if (minor !== "3.4") return false;
  const before = (status.memberStatus ?? []).flatMap(({ id }) => id ?? []).sort();
  const after = listed.map(({ etcd }) => etcd.id).sort();
  return before.join() !== after.join();
}
