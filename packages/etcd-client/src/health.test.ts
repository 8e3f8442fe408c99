import { describe, expect, test } from "vitest";
import { EtcdError, type EtcdErrorCode } from "./etcd-error.ts";
import { healthCheck } from "./health.ts";
import type { MemberStatus } from "./member-status.ts";

describe("health", () => {
  test("a linearizable read proves it", async () => {
    expect(await healthOf({})).toEqual({ health: "healthy" });
  });

  test("a member that answers about itself but cannot read is unhealthy", async () => {
    for (const read of ["deadline", "no-leader", "unavailable", "corrupt"] as const) {
      expect(await healthOf({ read, status: {} })).toMatchObject({ health: "unhealthy", error: { code: read } });
    }
  });

  test("a member that answers nothing is unknown, not unhealthy", async () => {
    for (const read of ["deadline", "unavailable", "tls"] as const) {
      expect(await healthOf({ read, status: "unavailable" })).toMatchObject({
        health: "unknown",
        error: { code: read },
      });
    }
  });

  test("a member of another cluster at the same address is unknown", async () => {
    expect((await healthOf({ read: "wrong-cluster", status: {} })).health).toBe("unknown");
  });

  test("giving up is no verdict", async () => {
    expect((await healthOf({ read: "canceled", status: {} })).health).toBe("unknown");
  });

  test("a read that was refused for lack of permission was served by a majority", async () => {
    expect((await healthOf({ read: "auth" })).health).toBe("healthy");
  });

  test("a learner that knows the leader is as healthy as a learner can be", async () => {
    const status = { isLearner: true, leaderId: 7n };
    expect((await healthOf({ read: "not-for-learners", status })).health).toBe("healthy");
    expect((await healthOf({ read: "not-for-learners", status: { ...status, leaderId: undefined } })).health).toBe(
      "unhealthy",
    );
  });
});

interface Behaviour {
  readonly read?: EtcdErrorCode;
  readonly status?: EtcdErrorCode | Partial<MemberStatus>;
}

function healthOf({ read, status = {} }: Behaviour) {
  const answer = { isLearner: false, leaderId: 1n } as MemberStatus;
  return healthCheck({
    range: async () => {
      if (read) throw error(read);
      return { revision: 1n, keyValues: [], hasMore: false, count: 0 };
    },
    status: async () => {
      if (typeof status === "string") throw error(status);
      return { ...answer, ...status };
    },
  }).health();
}

function error(code: EtcdErrorCode): EtcdError {
  return new EtcdError(code, { operation: "test", endpoint: "x", reason: code });
}
