import * as z from "zod";
import { celDigits } from "../schema/cel-digits.ts";
import { int32, int64 } from "../schema/primitives.ts";
import { matching, type Rule, withRules } from "../schema/rule.ts";

// etcd's own defaults, which hold where only one of the two is set.
const HEARTBEAT_MS = 100;
const ELECTION_MS = 1000;
const MOST_MS = 50_000;

const retention = withRules(z.string().max(32), [
  matching(
    "^([0-9]+|([0-9]+(\\.[0-9]+)?(h|m|s))+)$",
    "'{}' is not a retention: write hours or revisions as a number ('8', '1000'), or a duration such as '30m'",
  ),
]);

const settings = z.object({
  quotaBackendBytes: int64(0)
    .optional()
    .describe("Size at which the database refuses writes; 0 is etcd's default of 2 GiB."),
  autoCompactionMode: z
    .enum(["periodic", "revision"])
    .optional()
    .describe("Whether `autoCompactionRetention` counts time or revisions."),
  autoCompactionRetention: retention
    .optional()
    .describe(
      "History to keep: hours or a duration such as `30m` (periodic), or a number of revisions; `0` keeps all.",
    ),
  heartbeatIntervalMs: int32(1, MOST_MS)
    .optional()
    .describe("Milliseconds between the leader's heartbeats (etcd: 100)."),
  electionTimeoutMs: int32(5, MOST_MS)
    .optional()
    .describe("Milliseconds without a heartbeat until an election (etcd: 1000), at least five heartbeats."),
  snapshotCount: int64(1).optional().describe("Committed transactions between two snapshots of a member's log."),
  maxRequestBytes: int64(1).optional().describe("Largest request that a client may send (etcd: 1.5 MiB)."),
});

const electionOutlastsHeartbeats: Rule<z.output<typeof settings>> = {
  holds: (etcd) => (etcd.electionTimeoutMs ?? ELECTION_MS) >= 5 * (etcd.heartbeatIntervalMs ?? HEARTBEAT_MS),
  cel: `(has(self.electionTimeoutMs) ? self.electionTimeoutMs : ${ELECTION_MS}) >=
    5 * (has(self.heartbeatIntervalMs) ? self.heartbeatIntervalMs : ${HEARTBEAT_MS})`,
  message:
    "electionTimeoutMs must be at least five times heartbeatIntervalMs, or etcd does not start, but they are {} (where one " +
    `is absent, ${ELECTION_MS} and ${HEARTBEAT_MS} hold): raise the first or lower the second`,
  offender: {
    of: (etcd) => `${etcd.electionTimeoutMs ?? ELECTION_MS} and ${etcd.heartbeatIntervalMs ?? HEARTBEAT_MS}`,
    cel: `${celMs("electionTimeoutMs", ELECTION_MS)} + ' and ' + ${celMs("heartbeatIntervalMs", HEARTBEAT_MS)}`,
  },
};

function celMs(field: string, otherwise: number): string {
  return `(has(self.${field}) ? ${celDigits(`self.${field}`, MOST_MS)} : '${otherwise}')`;
}

const revisionsAreCounted: Rule<z.output<typeof settings>> = {
  holds: (etcd) => etcd.autoCompactionMode !== "revision" || /^[0-9]*$/.test(etcd.autoCompactionRetention ?? ""),
  cel: `!has(self.autoCompactionMode) || self.autoCompactionMode != 'revision' || !has(self.autoCompactionRetention) ||
    self.autoCompactionRetention.matches('^[0-9]*$')`,
  message:
    "autoCompactionRetention '{}' is a time, but autoCompactionMode is 'revision': write a number of revisions such as '1000', or use 'periodic'",
  offender: { of: (etcd) => etcd.autoCompactionRetention ?? "", cel: "self.autoCompactionRetention" },
};

/** Tunables of etcd that have a field of their own. */
export const etcdSettings = withRules(settings, [electionOutlastsHeartbeats, revisionsAreCounted]);
