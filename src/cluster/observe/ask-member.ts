import type { EtcdClient } from "../../etcd/etcd-client.ts";
import { EtcdError } from "../../etcd/etcd-error.ts";
import { healthCheck } from "../../etcd/health.ts";
import type { MemberStatus } from "../../etcd/member-status.ts";
import { toHex } from "../hex-id.ts";
import type { AnsweredStatus, AnswerSeen } from "../observation.ts";

/** On whose behalf members are asked, and for how long. */
export interface Question {
  /** In hexadecimal; undefined while none is recorded. */
  readonly clusterId: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What one member said. */
export interface Asked {
  readonly answer: AnswerSeen;
  /** Those that may be asked further: they answered, and as members of the recorded cluster where one is recorded. */
  readonly reached: Reached | undefined;
  /** One side did not accept the other's certificate. */
  readonly isTlsFailure: boolean;
}

export interface Reached {
  readonly client: EtcdClient;
  readonly status: MemberStatus;
  readonly isHealthy: boolean;
}

/**
 * Asks a member at once who and how it is; so it takes one round trip, or one deadline. `memberId` is the member that should answer,
 * where that is written down: an address may have been given to another member of the same cluster.
 */
export async function askMember(client: EtcdClient, question: Question, memberId?: string): Promise<Asked> {
  const { clusterId, timeoutMs, signal } = question;
  // Without an expectation, so that a stranger tells who it is.
  const status = client.status({ timeoutMs, signal });
  const check = healthCheck({ range: client.range, status: () => status });
  const expected = clusterId === undefined ? {} : { expectClusterId: idOf(clusterId) };
  const [said, read] = await Promise.allSettled([status, check.health({ timeoutMs, signal, ...expected })]);
  if (said.status === "rejected") return notReached(said.reason);
  if (read.status === "rejected") return notReached(read.reason);
  const found = answeredStatus(said.value);
  if (clusterId !== undefined && found.clusterId !== clusterId) return ofOtherCluster(client, found, clusterId);
  if (memberId !== undefined && found.memberId !== memberId) return otherMember(client, found, memberId);
  const { health, error } = read.value;
  return {
    answer: { health, ...(error && { why: error.message }), status: found },
    reached: { client, status: said.value, isHealthy: health === "healthy" },
    isTlsFailure: false,
  };
}

/** What cannot be asked, or does not say who it is: not seen, which is not unhealthy. */
export function notReached(error: unknown): Asked {
  const why = error instanceof Error ? error.message : String(error);
  const code = error instanceof EtcdError ? error.code : undefined;
  const answer = { health: "unknown", why, ...(code === "auth" && { isForUsers: true as const }) } as const;
  return { answer, reached: undefined, isTlsFailure: code === "tls" };
}

function ofOtherCluster({ endpoint }: EtcdClient, { clusterId }: AnsweredStatus, expected: string): Asked {
  const { answer, ...nothing } = notReached(
    `at ${endpoint} answers a member of cluster ${clusterId}, not of ${expected}`,
  );
  return { answer: { ...answer, otherClusterId: clusterId }, ...nothing };
}

function otherMember({ endpoint }: EtcdClient, { memberId }: AnsweredStatus, expected: string): Asked {
  const { answer, ...nothing } = notReached(`at ${endpoint} answers member ${memberId}, not ${expected}`);
  return { answer: { ...answer, otherMemberId: memberId }, ...nothing };
}

function answeredStatus(status: MemberStatus): AnsweredStatus {
  return {
    clusterId: toHex(status.clusterId),
    memberId: toHex(status.memberId),
    version: status.version,
    leaderId: status.leaderId === undefined ? undefined : toHex(status.leaderId),
    isLearner: status.isLearner,
    revision: Number(status.revision),
    databaseSizeBytes: status.dbSizeBytes,
    ...(status.raftAppliedIndex !== undefined && { appliedIndex: Number(status.raftAppliedIndex) }),
    ...(status.downgradeTarget !== undefined && { downgradeTarget: status.downgradeTarget }),
  };
}

// What is no id is nobody's: every answer is then another cluster's.
function idOf(clusterId: string): bigint {
  return /^[0-9a-f]{1,16}$/.test(clusterId) ? BigInt(`0x${clusterId}`) : -1n;
}
