import { type DataDir, lastIndex, termAt } from "./disk.ts";
import type { EtcdProcess } from "./etcd-process.ts";

/** Why a member cannot follow its leader, in etcd's words; undefined when it has the leader's log now. */
export function follow(follower: EtcdProcess, leader: EtcdProcess): string | undefined {
  const { data, memberId } = follower;
  const known = Math.min(leader.match.get(memberId) ?? 0, leader.data.commit);
  const last = lastIndex(data);
  // The leader sends how far both are; a member that has forgotten that cannot accept it.
  if (known > last) {
    return `tocommit(${known}) is out of range [lastIndex(${last})]. Was the raft log corrupted, truncated, or lost?`;
  }
  const conflict = adoptLog(data, leader.data);
  if (conflict) return conflict;
  data.term = leader.data.term;
  leader.match.set(memberId, lastIndex(data));
  return undefined;
}

/** Takes over the leader's log: what both have stays, what else there was goes. */
function adoptLog(data: DataDir, from: DataDir): string | undefined {
  if (data.base.index !== from.base.index) return adoptWhole(data, from);
  let common = Math.min(lastIndex(data), lastIndex(from));
  // By term and index alone, as Raft does: it knows no more.
  while (common > data.base.index && termAt(data, common) !== termAt(from, common)) common -= 1;
  if (common < data.commit) return `entry ${common + 1} conflict with committed entry [committed(${data.commit})]`;
  const kept = common - data.base.index;
  if (kept < data.log.length) data.log.length = kept;
  for (let at = kept; at < from.log.length; at += 1) {
    const entry = from.log[at];
    if (entry) data.log.push(entry);
  }
  return undefined;
}

/** What the leader's log begins with, it sends as a snapshot. */
function adoptWhole(data: DataDir, from: DataDir): string | undefined {
  if (lastIndex(data) > from.base.index) return "its log begins elsewhere";
  data.base = from.base;
  data.state = from.base.copy();
  data.commit = from.base.index;
  data.log = [...from.log];
  return undefined;
}

/**
 * How far a majority of the voters has the leader's log, if that is of its own term: everything up to there is agreed
 * on.
 */
export function agreedIndex({ data, match }: EtcdProcess): number {
  const own = lastIndex(data);
  const reached = data.state.voters.map(({ id }) => (id === data.memberId ? own : (match.get(id) ?? 0)));
  const agreed = reached.sort((a, b) => b - a)[Math.floor(reached.length / 2)] ?? 0;
  return agreed > data.commit && termAt(data, agreed) === data.term ? agreed : data.commit;
}
