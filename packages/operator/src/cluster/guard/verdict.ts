import type { DataDirectory } from "./data-directory.ts";
import { isBehind, type LogReached } from "./log-reached.ts";
import type { Refusal } from "./refusal.ts";

/** What the operator knows of the member that is about to start. */
export interface Expectation {
  readonly start: "seed" | "joining" | "returning" | "restored";
  /** Written on the pod once the member has joined, before it gets a vote. */
  readonly memberId: bigint | undefined;
  readonly clusterId: bigint | undefined;
  /**
   * Whether an earlier run of the guard in this very pod found the directory empty, so that the data is the pod's own.
   */
  readonly isOwnData: boolean;
  /**
   * The last recorded position of its log; absent when there is no record, or an administrator removed it to allow
   * older data.
   */
  readonly logReached?: LogReached | undefined;
}

export type Verdict =
  | { readonly kind: "allowed"; readonly message: string }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly message: string };

/** Whether etcd may start on what lies in its directory. */
export function verdict(found: DataDirectory, expected: Expectation): Verdict {
  if (expected.start === "returning" && (expected.memberId === undefined || expected.clusterId === undefined)) {
    return refused("unidentified", "the pod of this returning member does not record its member ID and cluster ID");
  }
  switch (found.kind) {
    case "empty":
      if (hasJoined(expected)) {
        return refused("data-gone", `empty directory, but this member${named(expected.memberId)} has joined before`);
      }
      return expected.start === "restored"
        ? refused("data-gone", "empty directory, but a snapshot should have been restored into it")
        : allowed("empty directory for a new member");
    case "log-gone":
      // etcd writes other files before its log, so a first start that was cut short looks the same.
      return hasJoined(expected) || expected.start === "restored" || !expected.isOwnData
        ? refused("log-gone", `there is ${found.file}, but no log`)
        : allowed("a first start was cut short before it wrote a log");
    case "log-unreadable":
      return refused("log-unreadable", found.why);
    case "member":
      return verdictOnMember(found, expected);
  }
}

type Found = Extract<DataDirectory, { kind: "member" }>;

function verdictOnMember({ memberId, clusterId, end }: Found, expected: Expectation): Verdict {
  if (expected.clusterId !== undefined && clusterId !== expected.clusterId) {
    return refused("other-cluster", `directory of cluster${named(clusterId)}, expected${named(expected.clusterId)}`);
  }
  if (expected.memberId !== undefined && memberId !== expected.memberId) {
    return refused("other-member", `directory of member${named(memberId)}, expected${named(expected.memberId)}`);
  }
  // A freshly restored directory has its own new identity; no etcd has run on it yet.
  const isNew = expected.memberId === undefined && expected.start !== "restored";
  if (isNew && !expected.isOwnData) {
    return refused("not-empty", `directory of member${named(memberId)}, expected none: this member is new`);
  }
  const { logReached } = expected;
  if (logReached && end && isBehind(end, logReached)) {
    const had = `entry ${logReached.index} of term ${logReached.term}`;
    return refused(
      "log-behind",
      `the log ends with entry ${end.index} of term ${end.term}, but had ${had} at ${logReached.at}: this is an older copy, or it was truncated`,
    );
  }
  return allowed(`directory of member${named(memberId)} of cluster${named(clusterId)}`);
}

/**
 * A joining member knows its cluster from the start; the cluster of an initial member is known only once it has run.
 */
function hasJoined({ start, memberId, clusterId }: Expectation): boolean {
  return start === "returning" || memberId !== undefined || (start === "seed" && clusterId !== undefined);
}

function named(id: bigint | undefined): string {
  return id === undefined ? "" : ` ${id.toString(16)}`;
}

function allowed(message: string): Verdict {
  return { kind: "allowed", message };
}

function refused(refusal: Refusal, message: string): Verdict {
  return { kind: "refused", refusal, message };
}
