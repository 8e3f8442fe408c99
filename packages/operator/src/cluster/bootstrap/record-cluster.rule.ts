import { isBehind, type LogPlace } from "../guard/log-reached.ts";
import type { ClaimToNote } from "../model/action.ts";
import type { ClaimSeen } from "../model/observation.ts";
import { idOf, type ListedMember, listOf, type Rule, type Situation } from "../model/situation.ts";
import { type ClusterRecord, isSameRecord } from "./cluster-record.ts";

/**
 * Writes on the claims of voters which cluster they are of, for an EtcdCluster that is created after this one was
 * deleted.
 */
export const noteCluster: Rule = (now) => noted(now, () => true);

/** Before the claims of those that were removed are deleted: until then those say themselves that they leave. */
export const noteFewerVoters: Rule = (now) =>
  noted(now, ({ record }) =>
    Object.keys(record?.voters ?? {}).some((id) => now.voters.every(({ etcd }) => etcd.id !== id)),
  );

function noted(now: Situation, isDue: (claim: ClaimSeen) => boolean): ReturnType<Rule> {
  if (!now.status.clusterID || !now.isConfirmed) return undefined;
  const claims = now.voters.flatMap((member) => toNote(member, now, isDue));
  if (claims.length === 0) return undefined;
  const message = `Recording the voting members on the PVCs of ${listOf(claims.map(({ claim }) => claim.name))}`;
  return { kind: "note-cluster", claims, reason: "VotersRecorded", message };
}

function toNote(member: ListedMember, now: Situation, isDue: (claim: ClaimSeen) => boolean): ClaimToNote[] {
  const { etcd, claim } = member;
  if (!claim || claim.isTerminating || claim.memberId !== etcd.id || claim.clusterId !== now.status.clusterID)
    return [];
  const record = recordFor(member, now);
  const isNoted = claim.record !== undefined && isSameRecord(claim.record, record) && !claim.isLeaving;
  return isNoted || !isDue(claim) ? [] : [{ claim: idOf(claim), record }];
}

/** What the claim of a member should say. */
export function recordFor({ pod, claim }: ListedMember, now: Situation): ClusterRecord {
  const version = pod?.answer.status?.version ?? claim?.record?.version;
  const voters = now.voters.map(({ etcd: { id, peerUrls } }) => [id, peerUrls[0] ?? ""]);
  return { ...newestPlace(now), ...(version && { version }), voters: Object.fromEntries(voters) };
}

/**
 * How far the log of the cluster has got at least; a later record has a later place, for members come and go through
 * the log.
 */
function newestPlace({ seen }: Situation): LogPlace {
  const places = seen.pods.flatMap(({ answer }) => answer.status?.log ?? []);
  const start: LogPlace = { term: 0, index: 0 };
  const { term, index } = places.reduce((newest, place) => (isBehind(newest, place) ? place : newest), start);
  return { term, index };
}
