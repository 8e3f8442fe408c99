import type { Alarm, Endpoint, MemberStatus } from "@etcd-operator/etcd-client";
import { connectEtcd, type EtcdClient, EtcdError, factsOf, parseVersion } from "@etcd-operator/etcd-client";
import { explained, needsFix } from "./failure.ts";
import type { Origin } from "./origin.ts";
import { SnapshotError } from "./snapshot-error.ts";

/** The member to take the snapshot from, and its status right before. */
export interface ChosenMember {
  readonly client: EtcdClient;
  readonly endpoint: Endpoint;
  readonly status: MemberStatus;
  close(): void;
}

export interface Answer {
  readonly client: EtcdClient;
  readonly status: MemberStatus;
  /** A voter has just read through a majority, so it has all that was written before; a learner only names a leader. */
  readonly isHealthy: boolean;
}

export type Connect = (endpoint: Endpoint, options: { expectClusterId?: bigint }) => EtcdClient;

// A healthy member answers within milliseconds.
const ANSWER_TIMEOUT_MS = 3_000;

/**
 * Requests the status of all at once, and chooses the member to take the snapshot from. Where no majority is left, one
 * that answers will do: it returns its snapshot all the same, and may hold the newest copy there is.
 */
export async function chooseMember(
  origin: Origin,
  signal: AbortSignal,
  connect: Connect = connectEtcd,
): Promise<ChosenMember> {
  const expected = origin.clusterId === undefined ? {} : { expectClusterId: origin.clusterId };
  const clients = origin.endpoints.map((endpoint) => connect(endpoint, expected));
  const closeAllBut = (kept?: EtcdClient) => {
    for (const client of clients) if (client !== kept) client.close();
  };
  try {
    const asked = await Promise.allSettled(clients.map((client) => ask(client, signal)));
    signal.throwIfAborted();
    const answers = asked.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const failures = asked.flatMap((each) => (each.status === "rejected" ? [each.reason as unknown] : []));
    if (answers.length === 0) throw nobodyAnswers(origin, failures);
    requireOneCluster(origin, answers);
    const chosen = await soundOf(origin, answers, signal);
    closeAllBut(chosen.client);
    const endpoint = origin.endpoints[clients.indexOf(chosen.client)] as Endpoint;
    return { client: chosen.client, endpoint, status: chosen.status, close: () => chosen.client.close() };
  } catch (error) {
    closeAllBut();
    throw error;
  }
}

/**
 * The best first: a healthy voter, preferably not the leader, which is the busiest. It has just shown that it is up to
 * date. Where there is none the revision decides, and of equals a voter is taken: a majority had agreed on everything
 * that a learner applied, so of two answers the higher revision lacks nothing of the lower one. That a learner knows a
 * leader is no rank: it never forgets one that is dead.
 */
export function byPreference(a: Answer, b: Answer): number {
  return (
    rankOf(a) - rankOf(b) ||
    Number(b.status.revision - a.status.revision) ||
    Number(a.status.isLearner) - Number(b.status.isLearner)
  );
}

function rankOf({ isHealthy, status: { isLearner, leaderId, memberId, version } }: Answer): number {
  if (isHealthy && !isLearner) return leaderId === memberId ? 1 : 0;
  const known = parseVersion(version);
  const isOfNoUse = isLearner && known !== undefined && !factsOf(known).learnerGivesSnapshot;
  return isOfNoUse ? 3 : 2;
}

async function ask(client: EtcdClient, signal: AbortSignal): Promise<Answer> {
  const options = { timeoutMs: ANSWER_TIMEOUT_MS, signal };
  const { health } = await client.health(options);
  // After that read, so that the revision it reports is at least the one that was read.
  const status = await client.status(options);
  return { client, status, isHealthy: health === "healthy" };
}

/** The best of those whose data is not in doubt. */
async function soundOf(origin: Origin, answers: readonly Answer[], signal: AbortSignal): Promise<Answer> {
  const ordered = [...answers].sort(byPreference);
  const corrupt = (await alarmsOf(ordered, signal)).filter(({ kind }) => kind === "corrupt");
  // Where etcd finds a difference but not which member is wrong, it blames a member 0.
  const isDoubted = (id: bigint) => corrupt.some(({ memberId }) => memberId === id || memberId === 0n);
  const [chosen] = ordered.filter(({ status }) => !isDoubted(status.memberId));
  if (chosen) return chosen;
  throw new SnapshotError(
    "corrupt-source",
    `${origin.description} reports corrupt data (alarm CORRUPT), and every member that responds may be affected: replace the affected members and disarm the alarm`,
  );
}

/** The alarms as the first member that responds reports them; not knowing them is no reason against a backup. */
async function alarmsOf(ordered: readonly Answer[], signal: AbortSignal): Promise<readonly Alarm[]> {
  for (const { client, isHealthy, status } of ordered) {
    if (!isHealthy || status.isLearner) break;
    try {
      return await client.alarms({ timeoutMs: ANSWER_TIMEOUT_MS, signal });
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
    }
  }
  return [];
}

function requireOneCluster({ description }: Origin, answers: readonly Answer[]): void {
  const ids = [...new Set(answers.map(({ status }) => status.clusterId.toString(16)))];
  if (ids.length <= 1) return;
  const message = `${description} reaches members of different clusters (${ids.sort().join(", ")}): use endpoints of one cluster`;
  throw new SnapshotError("no-member", message, { isTransient: false });
}

const MOST_TOLD = 3;

function nobodyAnswers({ description, endpoints }: Origin, failures: readonly unknown[]): SnapshotError {
  if (endpoints.length === 0) return new SnapshotError("no-member", `${description} has no running member`);
  const told = failures.slice(0, MOST_TOLD).map(explained);
  const more = failures.length > MOST_TOLD ? `; and ${failures.length - MOST_TOLD} more` : "";
  return new SnapshotError("no-member", `no member of ${description} answers: ${told.join("; ")}${more}`, {
    cause: failures[0],
    isTransient: !failures.every(needsFix),
  });
}
