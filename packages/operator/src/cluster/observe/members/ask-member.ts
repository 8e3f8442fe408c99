import type { EtcdClient, MemberStatus } from "@etcd-operator/etcd-client";
import { EtcdError, healthCheck } from "@etcd-operator/etcd-client";
import { messageOf } from "@etcd-operator/kubernetes-client";
import { toHex } from "../../model/hex-id.ts";
import type { AnsweredStatus, AnswerSeen } from "../../model/observation.ts";

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
  /** It has just read through a majority, which a learner cannot. */
  readonly isHealthy: boolean;
}

/** The member that should answer. */
export interface Expected {
  /** In hexadecimal; undefined while the member at this address is not recorded. */
  readonly memberId: string | undefined;
  /** Where its peers find it. */
  readonly peerUrl: string;
}

/**
 * Asks a member for its identity and its health at once; so it takes one round trip, or one deadline. It matters which
 * one answers: an address may have been given to another member of the same cluster.
 */
export async function askMember(client: EtcdClient, question: Question, wanted?: Expected): Promise<Asked> {
  const { clusterId, timeoutMs, signal } = question;
  // Without an expectation, so that a foreign member reports its own ids.
  const status = client.status({ timeoutMs, signal });
  const check = healthCheck({ range: client.range, status: () => status });
  const expected = clusterId === undefined ? {} : { expectClusterId: idOf(clusterId) };
  const [said, read] = await Promise.allSettled([status, check.health({ timeoutMs, signal, ...expected })]);
  if (said.status === "rejected") return notReached(said.reason);
  if (read.status === "rejected") return notReached(read.reason);
  const found = answeredStatus(said.value);
  if (clusterId !== undefined && found.clusterId !== clusterId) return ofOtherCluster(client, found, clusterId);
  const isOther = wanted?.memberId !== undefined && found.memberId !== wanted.memberId;
  if (isOther && !(await isAtHome(client, said.value, wanted, question))) {
    return otherMember(client, found, wanted.memberId);
  }
  const { health, error } = read.value;
  return {
    answer: { health, ...(error && { why: error.message }), status: found },
    reached: { client, status: said.value, isHealthy: health === "healthy" && !found.isLearner },
    isTlsFailure: false,
  };
}

/**
 * Whether the cluster has the member that answered at this very place: then what is written down about the place is
 * wrong, or was edited. Its name would not do, for that is whatever it was started with.
 */
async function isAtHome(
  client: EtcdClient,
  { memberId, clusterId }: MemberStatus,
  { peerUrl }: Expected,
  { timeoutMs, signal }: Question,
): Promise<boolean> {
  try {
    const members = await client.members({ timeoutMs, signal, expectClusterId: clusterId, linearizable: false });
    const { peerUrls = [] } = members.find(({ id }) => id === memberId) ?? {};
    return peerUrls.some((url) => new URL(url).host === new URL(peerUrl).host);
  } catch {
    return false;
  }
}

/** A member that cannot be asked, or does not report its identity: not seen, which is not unhealthy. */
export function notReached(error: unknown): Asked {
  const why = messageOf(error);
  const code = error instanceof EtcdError ? error.code : undefined;
  const answer = {
    health: "unknown",
    why,
    ...(code === "auth" && { isForUsers: true as const }),
    ...(code === "deadline" && { isSilent: true as const }),
  } as const;
  return { answer, reached: undefined, isTlsFailure: code === "tls" };
}

function ofOtherCluster({ endpoint }: EtcdClient, { clusterId }: AnsweredStatus, expected: string): Asked {
  const { answer, ...nothing } = notReached(
    `a member of etcd cluster ${clusterId} responds at ${endpoint}; expected ${expected}`,
  );
  return { answer: { ...answer, otherClusterId: clusterId }, ...nothing };
}

function otherMember({ endpoint }: EtcdClient, { memberId }: AnsweredStatus, expected: string): Asked {
  const { answer, ...nothing } = notReached(
    `another member responds at ${endpoint}: its ID is ${memberId}, expected ${expected}`,
  );
  return { answer: { ...answer, otherMemberId: memberId }, ...nothing };
}

export function answeredStatus(status: MemberStatus): AnsweredStatus {
  return {
    clusterId: toHex(status.clusterId),
    memberId: toHex(status.memberId),
    version: status.version,
    leaderId: status.leaderId === undefined ? undefined : toHex(status.leaderId),
    isLearner: status.isLearner,
    revision: Number(status.revision),
    databaseSizeBytes: status.dbSizeBytes,
    ...(status.raftAppliedIndex !== undefined && { appliedIndex: Number(status.raftAppliedIndex) }),
    log: { term: Number(status.raftTerm), index: Number(status.raftAppliedIndex ?? status.raftIndex) },
    ...(status.downgradeTarget !== undefined && { downgradeTarget: status.downgradeTarget }),
  };
}

// An invalid id matches no cluster: every answer is then another cluster's.
function idOf(clusterId: string): bigint {
  return /^[0-9a-f]{1,16}$/.test(clusterId) ? BigInt(`0x${clusterId}`) : -1n;
}
