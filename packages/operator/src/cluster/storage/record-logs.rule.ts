import { isBehind, type LogReached } from "../guard/log-reached.ts";
import type { LogToNote } from "../model/action.ts";
import { idOf, type ListedMember, listOf, type Rule, type Situation } from "../model/situation.ts";

/**
 * While every voter answers, each of them has all that was acknowledged, and one that forgets can do no harm: it is
 * enough to know the past by and by. As soon as one is missing, what the others acknowledge may be on no more disks
 * than a majority needs.
 */
const WHILE_ALL_ANSWER_MS = 600_000;
const WHILE_SOME_DO_MS = 10_000;
/** Of a cluster without writes since. */
const FIRST_REVISION = 1;

/**
 * Writes on pods and claims how far the log of each voter has got, so that it does not start on an older copy of its
 * own data, where it could vote away what it has acknowledged since. Nothing is recorded while etcd has no writes.
 */
export const recordLogs: Rule = (now) => {
  if (!now.status.clusterID || !now.isConfirmed) return undefined;
  const isSomeoneMissing = now.voters.some(({ health, pod }) => health !== "healthy" || pod?.isTerminating);
  const everyMs = isSomeoneMissing ? WHILE_SOME_DO_MS : WHILE_ALL_ANSWER_MS;
  const logs = now.voters.flatMap((member) => toNote(member, everyMs, now));
  if (logs.length === 0) return undefined;
  const names = logs.flatMap(({ claim, pod }) => (claim ?? pod)?.name ?? []);
  const message = `Recorded the raft log positions of ${listOf(names)}; they now refuse to start on older copies of their data`;
  return { kind: "record-logs", logs, reason: "LogPositionsRecorded", message };
};

function toNote(member: ListedMember, everyMs: number, { seen }: Situation): LogToNote[] {
  const { etcd, pod, claim } = member;
  const reached = seen.savedLogs?.get(etcd.id);
  if (!reached || !isDue(reached, notedOf(member), everyMs, member, seen.nowMs)) return [];
  const onClaim = claim && !claim.isTerminating && claim.memberId === etcd.id ? { claim: idOf(claim) } : {};
  const isThere = pod && !pod.isTerminating && pod.stage !== "ended" && pod.memberId === etcd.id;
  const log = { reached, ...onClaim, ...(isThere && { pod: idOf(pod) }) };
  return log.claim || log.pod ? [log] : [];
}

/** On the claim if there is one: it outlives the pod. */
function notedOf({ pod, claim }: ListedMember): LogReached | undefined {
  return pod?.usesClaim === false ? pod.logReached : claim?.logReached;
}

function isDue(
  reached: LogReached,
  noted: LogReached | undefined,
  everyMs: number,
  { health, pod }: ListedMember,
  nowMs: number,
): boolean {
  const sinceMs = noted ? Date.parse(noted.at) : pod?.createdAtMs;
  // A note from the future is of another clock: it must not keep newer ones from being made.
  if (sinceMs !== undefined && sinceMs <= nowMs && nowMs - sinceMs < everyMs) return false;
  // A user may have removed the annotation, to let it start on older data: one that does not serve gets no new one.
  if (!noted) return health === "healthy" && reached.revision > FIRST_REVISION;
  return reached.revision > noted.revision && !isBehind(reached, noted) && pod?.refusal === undefined;
}
