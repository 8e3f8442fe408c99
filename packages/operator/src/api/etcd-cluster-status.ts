import * as z from "zod";
import { conditions } from "./condition.ts";
import { int32, int64, timestamp } from "./schema/primitives.ts";

// A cluster has at most 7 members; surges and members on their way out make it a few more. Status stays small for ever.
const MOST_MEMBERS = 16;
const memberName = () => z.string().max(63);
const memberNames = () => z.array(memberName()).max(MOST_MEMBERS);

const members = z.object({
  ready: memberNames().optional().describe("Members that serve clients."),
  unready: memberNames().optional().describe("Members that do not."),
});

const memberIntent = z.object({
  name: memberName().describe("Name of the member and its pod."),
  incarnation: int64(0).describe("Incarnation of the cluster that it belongs to."),
  purpose: z.enum(["Seed", "Join"]).describe("Whether it starts the cluster or joins it."),
});

const defragmenting = z.object({
  since: timestamp().describe("When this was first seen."),
  until: timestamp().describe("When it was last seen."),
});

const memberStatus = z.object({
  name: memberName().describe("Name of the member and its pod."),
  id: z.string().max(16).optional().describe("Member id in hexadecimal, as etcdctl prints it."),
  role: z.enum(["Leader", "Follower", "Learner", "Unknown"]).describe("Its part in the cluster."),
  version: z.string().max(32).optional().describe("Version of etcd that it reports."),
  health: z.enum(["Healthy", "Unhealthy", "Unknown"]).describe("`Unknown` when it could not be asked."),
  notHealthySince: timestamp().optional().describe("Since when it has not been seen healthy; absent while it is."),
  defragmenting: defragmenting
    .optional()
    .describe("Its database is, or was, being defragmented since it was last healthy: it does not answer meanwhile."),
  claimDeleted: z
    .boolean()
    .optional()
    .describe(
      "Whether its claim is being deleted while its pod uses it: the member is replaced before it loses its data.",
    ),
  outdated: z
    .boolean()
    .optional()
    .describe("Whether it has yet to be changed to what the spec says, or to come up with that."),
  podHash: z.string().max(32).optional().describe("What its pod was made from, as a hash."),
  servedPodHash: z
    .string()
    .max(32)
    .optional()
    .describe("The same of the pod in which it last served clients; another one while it comes up with a change."),
  databaseSizeBytes: int64(0).optional().describe("Size of its database file."),
  nearLimit: z
    .boolean()
    .optional()
    .describe(
      "Whether its database has used 80 % of its quota, or of its volume where that is smaller; until it is below 75 % again.",
    ),
  revision: int64(0).optional().describe("Newest revision that it has."),
});

// Fingerprints are 16 hexadecimal digits; that of an authority is of its name and key, and of its certificate.
const tlsSecret = z.object({
  use: z
    .enum(["Peer", "Server", "Operator"])
    .describe("`Peer` is for members to each other, `Server` for members to clients, `Operator` for the operator."),
  name: z.string().max(253).describe("Name of the Secret."),
  certificate: z.string().max(16).optional().describe("Fingerprint of the certificate in it."),
  authorities: z.array(z.string().max(33)).max(16).optional().describe("Fingerprints of the authorities in it."),
  authoritiesInUse: z
    .boolean()
    .optional()
    .describe("Whether all members were started with these authorities; absent while that is not known."),
});

const logMark = z.object({
  minor: z.string().max(8).describe("Lowest minor version that members run."),
  raftIndex: int64(0).describe("Entry of the log from which on no member has run anything older."),
});

const startFailures = z.object({
  count: int64(0).describe("How many attempts have failed, one after another, with the spec as it is."),
  lastTime: timestamp().describe("When the last one was given up."),
  nextTime: timestamp().describe("When the next one may begin; an edit of the spec begins one at once."),
  reason: z.string().max(32_768).describe("Why the last one was given up."),
  generation: int64(0).optional().describe("Generation of the spec that was tried."),
});

const restoring = z.object({
  name: z.string().max(253).describe("Name of the EtcdRestore."),
  uid: z.string().max(64).describe("Its UID."),
  state: z
    .enum(["Fencing", "Restoring", "Joining", "Done", "RollingBack", "RolledBack"])
    .describe(
      "`Fencing` stops the old members, `Restoring` starts the first new one, `Joining` waits for all; then the old ones' volumes go.",
    ),
  reason: z.string().max(32_768).optional().describe("What stands in the way, when something does."),
  incarnation: int64(0).describe("Incarnation from which on members belong to the restored cluster."),
  revision: int64(0).describe("Revision of the snapshot."),
  previousClusterID: z.string().max(16).optional().describe("Id of the cluster that was there before."),
  previousIncarnation: int64(0).optional().describe("Its incarnation, to which it goes back when the restore fails."),
  previousMembers: z.array(memberStatus).max(MOST_MEMBERS).optional().describe("Its members, as they were last seen."),
  saved: z.boolean().optional().describe("Whether a verified snapshot of what was there before is in a store."),
  savedRevision: int64(0).optional().describe("Newest revision in that snapshot."),
  savedClusterID: z
    .string()
    .max(16)
    .optional()
    .describe("Id of the etcd cluster that the snapshot is of, in hexadecimal."),
  lastToStop: memberName()
    .optional()
    .describe("Leader of the cluster before: it stops last and is asked for its revision."),
  lastTerm: int64(0).optional().describe("Raft term in which it led."),
  allSaved: z
    .boolean()
    .optional()
    .describe(
      "Whether the snapshot has all that the stopped members acknowledged; their volumes are deleted only then.",
    ),
  roomMadeAt: timestamp().optional().describe("When a stopped pod last made room for a new one that found no node."),
  keepsClaimsBelow: int64(0)
    .optional()
    .describe("Volumes of incarnations below this one have what could not be saved: the operator never deletes them."),
});

/** What an EtcdCluster is, as last seen. */
export const etcdClusterStatus = z.object({
  observedGeneration: int64(0).optional().describe("Generation of the spec that this status speaks of."),
  phase: z.enum(["", "Creating", "Running", "Failed"]).optional().describe("Where the cluster is in its life."),
  state: z
    .string()
    .max(32)
    .optional()
    .describe("One word for what is true now, such as `Ready`, `Rolling 2/3`, `Degraded` or `NoQuorum`."),
  reason: z.string().max(32_768).optional().describe("Why the phase is what it is, when that needs saying."),
  controlPaused: z.boolean().optional().describe("Whether the operator holds still because `spec.paused` is set."),
  conditions: conditions
    .optional()
    .describe(
      "`Ready`, `Progressing`, `Stalled`, `Available`, `Recovering`, `Scaling`, `Upgrading`, `Degraded`, `QuorumLost`, `Spread`.",
    ),
  size: int32(0).optional().describe("Number of members."),
  ready: z
    .string()
    .max(16)
    .optional()
    .describe("Members that serve clients, of those that the spec asks for, such as `2/3`."),
  readyMembers: int32(0).optional().describe("Number of members that serve clients."),
  labelSelector: z.string().max(256).optional().describe("Selector of the members' pods, for the scale subresource."),
  serviceName: z.string().max(63).optional().describe("Service through which clients reach the cluster."),
  clientPort: int32(0, 65_535).optional().describe("Port of that Service."),
  members: members.optional().describe("Members by readiness."),
  leader: memberName().optional().describe("Name of the member that leads."),
  databaseSize: z
    .string()
    .max(16)
    .optional()
    .describe("Size of the largest database file of a member, such as `1.2 GiB`; `memberStatus` has that of each."),
  memberStatus: z.array(memberStatus).max(MOST_MEMBERS).optional().describe("One entry per member."),
  currentVersion: z.string().max(32).optional().describe("Version that all members have reached."),
  targetVersion: z
    .string()
    .max(32)
    .optional()
    .describe("Version that a roll is on its way to; empty when there is none."),
  desiredVersion: z
    .string()
    .max(32)
    .optional()
    .describe(
      "Version that members should run: `spec.version`, or, where that is empty, the one that stays until it is set.",
    ),
  clusterID: z.string().max(16).optional().describe("Cluster id in hexadecimal, compared in every answer of a member."),
  incarnation: int64(0).optional().describe("Counts bootstraps and restores; part of the cluster's token."),
  reattachedFrom: z
    .string()
    .max(64)
    .optional()
    .describe("UID of the deleted EtcdCluster whose members this one continues, on their volumes or in their pods."),
  tls: z
    .array(tlsSecret)
    .max(3)
    .optional()
    .describe("What the TLS Secrets hold, as last read; docs/operations/tls.md has the steps of a rotation."),
  logMark: logMark
    .optional()
    .describe("What has to be saved away in the log before the next minor version, from 3.4 on."),
  restore: restoring.optional().describe("The newest restore that this cluster went through."),
  majorityLostSince: timestamp()
    .optional()
    .describe("Since when the data of a majority has been provably gone; `spec.recovery` counts from here."),
  recoveryIncarnation: int64(0)
    .optional()
    .describe("Incarnation for which `spec.recovery` has asked for a restore; it does so once for each."),
  startFailures: startFailures
    .optional()
    .describe("Attempts to start the cluster, or a new member, that were given up; absent once all members vote."),
  memberIntents: z
    .array(memberIntent)
    .max(MOST_MEMBERS)
    .optional()
    .describe("Members about to be made, written before anything is done for them."),
});
