import { compareVersions, isSameRelease, parseVersion } from "@etcd-operator/etcd-client";
import type { ClusterState } from "../model/cluster-state.ts";
import type { MemberStatus } from "./member-status.status.ts";

export interface ClusterVersions {
  /** What all members have reached; empty before the cluster is on record. */
  readonly current: string;
  /** What they should run instead; empty when all of them do. */
  readonly target: string;
}

export function versionsOf(state: ClusterState, memberStatus: readonly MemberStatus[]): ClusterVersions {
  const { now, phase } = state;
  const { seen, spec, status } = now;
  const current = (status.clusterID && lowestVersion(memberStatus)) || (status.currentVersion ?? "");
  if (phase !== "Running" || seen.problems.length > 0 || current === "") return { current, target: "" };
  const wanted = spec.version;
  // On the way back the lowest is there first, and the others are not.
  const isReached = [current, ...reportedVersions(memberStatus)].every((version) => isSameRelease(version, wanted));
  return { current, target: isReached ? "" : wanted };
}

function lowestVersion(memberStatus: readonly MemberStatus[]): string | undefined {
  return reportedVersions(memberStatus)[0];
}

/** The lowest first. A member that does not answer counts with what it ran when it last did. */
function reportedVersions(memberStatus: readonly MemberStatus[]): readonly string[] {
  const reported = memberStatus.flatMap(({ id, version = "" }) => {
    const parsed = id && parseVersion(version);
    return parsed ? [{ version, parsed }] : [];
  });
  return reported.sort((a, b) => compareVersions(a.parsed, b.parsed)).map(({ version }) => version);
}
