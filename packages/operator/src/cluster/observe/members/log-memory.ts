import { rfc3339 } from "@etcd-operator/kubernetes-client";
import { isBehind, type LogReached } from "../../guard/log-reached.ts";
import type { AnsweredStatus, AnswerSeen, MembershipSeen } from "../../model/observation.ts";

/** What the members reported in one reconcile. */
interface Heard {
  readonly answers: Iterable<AnswerSeen>;
  readonly membership: MembershipSeen;
  readonly nowMs: number;
}

interface Told {
  /** What the member said last. */
  readonly last: LogReached;
  readonly saved: LogReached | undefined;
}

/**
 * How far the logs of members have certainly been written to their disks. A member may have applied what it is still
 * writing down, so what it reports is believed one reconcile later, when it has answered a read that the majority
 * agreed to: it takes part in that only after it has saved all that it knew when it was asked the previous time. Memory
 * only: after a restart two reports are needed again.
 */
export class LogMemory {
  readonly #clusters = new Map<string, ReadonlyMap<string, Told>>();

  /** Records what members reported, and returns the certain position of each, by its id. */
  learn(key: string, { answers, membership, nowMs }: Heard): ReadonlyMap<string, LogReached> {
    const before = this.#clusters.get(key);
    const after = new Map([...(before ?? [])].filter(([id]) => mayBeMember(id, membership)));
    for (const { health, status } of answers) {
      const last = status && lastOf(status, nowMs);
      if (!last) continue;
      const known = before?.get(status.memberId);
      after.set(status.memberId, { last, saved: savedOf(last, known, health === "healthy") });
    }
    this.#clusters.set(key, after);
    return new Map([...after].flatMap(([id, { saved }]) => (saved ? [[id, saved] as const] : [])));
  }

  forget(key: string): void {
    this.#clusters.delete(key);
  }
}

function mayBeMember(id: string, membership: MembershipSeen): boolean {
  return membership.kind !== "confirmed" || membership.members.some((member) => member.id === id);
}

function savedOf(last: LogReached, known: Told | undefined, isHealthy: boolean): LogReached | undefined {
  if (!known || isBehind(last, known.last)) return undefined;
  return isHealthy ? known.last : known.saved;
}

function lastOf({ log, revision }: AnsweredStatus, nowMs: number): LogReached | undefined {
  // Right after a start it has not applied anything, and knows no term.
  return log && log.term > 0 ? { ...log, revision, at: rfc3339(nowMs) } : undefined;
}
