import * as z from "zod";
import { conditions } from "./condition.ts";
import { int32, int64, timestamp } from "./schema/primitives.ts";

// A cluster has at most 7 members; surges and members that are being removed make it a few more. Status stays small for
// ever.
const MOST_MEMBERS = 16;
const memberName = () => z.string().max(63);
const memberNames = () => z.array(memberName()).max(MOST_MEMBERS);

const members = z.object({
  ready: memberNames().optional().describe("Members that are ready."),
  unready: memberNames().optional().describe("Members that are not ready."),
});

const memberIntent = z.object({
  name: memberName().describe("Name of the member and its pod."),
  incarnation: int64(0).describe("Incarnation of the cluster that it belongs to."),
  purpose: z.enum(["Seed", "Join"]).describe("Whether it is an initial member or joins an existing cluster."),
});

const defragmenting = z.object({
  since: timestamp().describe("When this was first observed."),
  until: timestamp().describe("When this was last observed."),
});

const memberStatus = z.object({
  name: memberName().describe("Name of the member and its pod."),
  id: z.string().max(16).optional().describe("Member id in hexadecimal, as etcdctl prints it."),
  role: z.enum(["Leader", "Follower", "Learner", "Unknown"]).describe("Role of the member."),
  version: z.string().max(32).optional().describe("etcd version that the member reports."),
  health: z.enum(["Healthy", "Unhealthy", "Unknown"]).describe("`Unknown` when it could not be queried."),
  notHealthySince: timestamp().optional().describe("Since when it has not been healthy; absent while it is."),
  defragmenting: defragmenting
    .optional()
    .describe(
      "Whether its database is or was being defragmented since it was last healthy; it does not respond meanwhile.",
    ),
  claimDeleted: z
    .boolean()
    .optional()
    .describe(
      "Whether its PVC is being deleted while its pod uses it: the member is replaced before it loses its data.",
    ),
  outdated: z.boolean().optional().describe("Whether it does not run with the current spec yet."),
  podHash: z.string().max(32).optional().describe("Hash of the spec that its pod was created from."),
  servedPodHash: z
    .string()
    .max(32)
    .optional()
    .describe("`podHash` of the pod in which it was last ready; differs from `podHash` while a change rolls out."),
  databaseSizeBytes: int64(0).optional().describe("Size of its database file."),
  nearLimit: z
    .boolean()
    .optional()
    .describe("Whether its database uses 80 % of its quota, or of its volume if that is smaller; cleared below 75 %."),
  revision: int64(0).optional().describe("Newest revision of the member."),
});

// Fingerprints are 16 hexadecimal digits; that of an authority is of its name and key, and of its certificate.
const tlsSecret = z.object({
  use: z
    .enum(["Peer", "Server", "Operator"])
    .describe("`Peer` is for traffic between members, `Server` for clients, `Operator` for the operator."),
  name: z.string().max(253).describe("Name of the Secret."),
  certificate: z.string().max(16).optional().describe("Fingerprint of its certificate."),
  authorities: z.array(z.string().max(33)).max(16).optional().describe("Fingerprints of its CA certificates."),
  authoritiesInUse: z
    .boolean()
    .optional()
    .describe("Whether all members were started with these CA certificates; absent while unknown."),
});

const logMark = z.object({
  minor: z.string().max(8).describe("Lowest minor version of any member."),
  raftIndex: int64(0).describe("Raft index after which no member has run an older minor."),
});

const startFailures = z.object({
  count: int64(0).describe("Number of consecutive failed attempts with the current spec."),
  lastTime: timestamp().describe("When the last attempt was aborted."),
  nextTime: timestamp().describe("When the next attempt may begin; an edit of the spec starts one at once."),
  reason: z.string().max(32_768).describe("Why the last attempt was aborted."),
  generation: int64(0).optional().describe("Generation of the spec of the last attempt."),
});

const restoring = z.object({
  name: z.string().max(253).describe("Name of the EtcdRestore."),
  uid: z.string().max(64).describe("Its UID."),
  state: z
    .enum(["Fencing", "Restoring", "Joining", "Done", "RollingBack", "RolledBack"])
    .describe(
      "`Fencing` stops the previous members, `Restoring` starts the first new one, `Joining` waits for all; then the previous members' PVCs are deleted.",
    ),
  reason: z.string().max(32_768).optional().describe("What blocks the restore; empty when nothing does."),
  incarnation: int64(0).describe("First incarnation of members of the restored cluster."),
  revision: int64(0).describe("Revision of the snapshot."),
  previousClusterID: z.string().max(16).optional().describe("ID of the previous cluster."),
  previousIncarnation: int64(0)
    .optional()
    .describe("Incarnation of the previous cluster, used again if the restore is rolled back."),
  previousMembers: z
    .array(memberStatus)
    .max(MOST_MEMBERS)
    .optional()
    .describe("Members of the previous cluster, as last observed."),
  saved: z.boolean().optional().describe("Whether a verified snapshot of the previous cluster is in a store."),
  savedRevision: int64(0).optional().describe("Newest revision in that snapshot."),
  savedClusterID: z
    .string()
    .max(16)
    .optional()
    .describe("ID of the etcd cluster that the snapshot was taken from, in hexadecimal."),
  lastToStop: memberName()
    .optional()
    .describe("Leader of the previous cluster: it is stopped last and queried for its revision."),
  lastTerm: int64(0).optional().describe("Raft term of that leader."),
  allSaved: z
    .boolean()
    .optional()
    .describe(
      "Whether the snapshot has all writes that the stopped members acknowledged; their PVCs are deleted only then.",
    ),
  roomMadeAt: timestamp()
    .optional()
    .describe("When a stopped pod was last deleted to make room for a new one that could not be scheduled."),
  keepsClaimsBelow: int64(0)
    .optional()
    .describe(
      "PVCs of incarnations below this one hold data that could not be backed up: the operator never deletes them.",
    ),
});

/** What an EtcdCluster is, as last seen. */
export const etcdClusterStatus = z.object({
  observedGeneration: int64(0).optional().describe("Generation of the spec that this status was computed from."),
  phase: z.enum(["", "Creating", "Running", "Failed"]).optional().describe("Phase of the cluster."),
  state: z
    .string()
    .max(32)
    .optional()
    .describe("Summary of the current state, such as `Ready`, `Rolling 2/3`, `Degraded` or `NoQuorum`."),
  reason: z.string().max(32_768).optional().describe("Why the cluster is in this phase."),
  controlPaused: z.boolean().optional().describe("Whether the operator makes no changes because `spec.paused` is set."),
  conditions: conditions
    .optional()
    .describe(
      "`Ready`, `Progressing`, `Stalled`, `Available`, `Recovering`, `Scaling`, `Upgrading`, `Degraded`, `QuorumLost`, `Spread`.",
    ),
  size: int32(0).optional().describe("Number of members."),
  ready: z.string().max(16).optional().describe("Ready and desired members, such as `2/3`."),
  readyMembers: int32(0).optional().describe("Number of ready members."),
  labelSelector: z.string().max(256).optional().describe("Selector of the members' pods, for the scale subresource."),
  serviceName: z.string().max(63).optional().describe("Name of the client Service."),
  clientPort: int32(0, 65_535).optional().describe("Port of the client Service."),
  members: members.optional().describe("Members by readiness."),
  leader: memberName().optional().describe("Name of the leader."),
  databaseSize: z
    .string()
    .max(16)
    .optional()
    .describe(
      "Size of the largest database file of a member, such as `1.2 GiB`; `memberStatus` has the size for each member.",
    ),
  memberStatus: z.array(memberStatus).max(MOST_MEMBERS).optional().describe("One entry per member."),
  currentVersion: z.string().max(32).optional().describe("Version that all members have reached."),
  targetVersion: z
    .string()
    .max(32)
    .optional()
    .describe("Version that is being rolled out; empty when no version change is in progress."),
  desiredVersion: z
    .string()
    .max(32)
    .optional()
    .describe(
      "Version that members should run: `spec.version`, or, if that is empty, the one that the cluster keeps until it is set.",
    ),
  clusterID: z
    .string()
    .max(16)
    .optional()
    .describe("Cluster id in hexadecimal, compared with every response of a member."),
  incarnation: int64(0).optional().describe("Counts bootstraps and restores; part of the cluster's token."),
  reattachedFrom: z
    .string()
    .max(64)
    .optional()
    .describe("UID of the deleted EtcdCluster whose PVCs or pods this one reuses."),
  tls: z
    .array(tlsSecret)
    .max(3)
    .optional()
    .describe("Contents of the TLS Secrets, as last read; see docs/operations/tls.md for the steps of a rotation."),
  logMark: logMark
    .optional()
    .describe("Raft log position that must be in a raft snapshot before the next minor version, from 3.4 on."),
  restore: restoring.optional().describe("The newest restore of this cluster."),
  majorityLostSince: timestamp()
    .optional()
    .describe("Since when the data of a majority has been provably lost; `spec.recovery` counts from here."),
  recoveryIncarnation: int64(0)
    .optional()
    .describe("Incarnation for which `spec.recovery` has requested a restore; once per incarnation."),
  startFailures: startFailures
    .optional()
    .describe("Failed attempts to start the cluster or a new member; absent once all members are voters."),
  memberIntents: z
    .array(memberIntent)
    .max(MOST_MEMBERS)
    .optional()
    .describe("Members about to be created, recorded before any action is taken for them."),
});
