import { majorityOf } from "@etcd-operator/operator/cluster/model/quorum.ts";
import type { AppliedState } from "./applied-state.ts";
import { isUpToDate } from "./disk.ts";
import type { EtcdProcess } from "./etcd-process.ts";

/**
 * The members that may become leader: by their own list of members a majority is there that has nothing which they
 * lack.
 */
export function electable(present: readonly EtcdProcess[]): EtcdProcess[] {
  return present.filter(({ data, memberId }) => {
    if (data.state.members.get(memberId)?.isLearner !== false) return false;
    const granting = votersAmong(data.state, present).filter((other) => isUpToDate(data, other.data));
    return granting.length >= majorityOf(data.state.voters.length);
  });
}

/** It has been removed, or there is a member of a later term. */
export function isOver({ data: { state, term }, memberId }: EtcdProcess, present: readonly EtcdProcess[]): boolean {
  return !state.members.has(memberId) || votersAmong(state, present).some(({ data }) => data.term > term);
}

export function hasMajority({ data: { state } }: EtcdProcess, present: readonly EtcdProcess[]): boolean {
  return votersAmong(state, present).length >= majorityOf(state.voters.length);
}

function votersAmong({ members }: AppliedState, present: readonly EtcdProcess[]): EtcdProcess[] {
  return present.filter(({ memberId }) => members.get(memberId)?.isLearner === false);
}
