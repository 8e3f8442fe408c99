import type { CallOptions } from "./call-options.ts";
import { EtcdError } from "./etcd-error.ts";
import type { KeyValues } from "./key-values.ts";
import type { Maintenance } from "./maintenance.ts";

/** "unknown" is not "unhealthy": no member may be replaced because we could not reach it. */
export type Health = "healthy" | "unhealthy" | "unknown";

export interface HealthReport {
  readonly health: Health;
  /** Why it is not healthy, or could not be asked. */
  readonly error?: EtcdError;
}

export interface HealthCheck {
  /** Never throws: a failure is the answer. */
  health(options?: CallOptions): Promise<HealthReport>;
}

type Asked = Pick<KeyValues, "range"> & Pick<Maintenance, "status">;

/**
 * A linearizable read proves that the member reaches a majority. Where it fails, a status question, which the member
 * answers from its own knowledge, tells a member that cannot serve ("unhealthy") from one that we cannot see
 * ("unknown").
 */
export function healthCheck(member: Asked): HealthCheck {
  return {
    async health(options) {
      try {
        await member.range({ key: "health", countOnly: true }, options);
        return { health: "healthy" };
      } catch (error) {
        return afterFailedRead(member, asEtcdError(error), options);
      }
    },
  };
}

async function afterFailedRead(member: Asked, error: EtcdError, options?: CallOptions): Promise<HealthReport> {
  // A read that was refused for lack of permission was agreed on by the majority all the same.
  if (error.code === "auth") return { health: "healthy" };
  if (error.code === "canceled" || error.code === "wrong-cluster") return { health: "unknown", error };
  try {
    const { isLearner, leaderId } = await member.status(options);
    // A learner refuses such reads; knowing the leader is all that can be asked of it, and proves nothing of a
    // majority: it never campaigns, so it names a leader that is dead for as long as its process lives.
    const isFine = isLearner && leaderId !== undefined && error.code === "not-for-learners";
    return isFine ? { health: "healthy" } : { health: "unhealthy", error };
  } catch {
    return { health: "unknown", error };
  }
}

function asEtcdError(error: unknown): EtcdError {
  if (error instanceof EtcdError) return error;
  throw error;
}
