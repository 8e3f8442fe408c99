import { crc32 } from "node:zlib";
import type { MemberStatus } from "@etcd-operator/etcd-client";
import type { Maintenance } from "@etcd-operator/etcd-client/maintenance.ts";
import type { Snapshots } from "@etcd-operator/etcd-client/snapshot/snapshot.ts";
import type { ClusterVersions } from "@etcd-operator/etcd-client/version/cluster-version.ts";
import type { EtcdModel } from "../etcd-model.ts";
import type { DataDir } from "./disk.ts";
import { lastIndex, termAt } from "./disk.ts";
import type { EtcdProcess } from "./etcd-process.ts";
import type { Call, MakeCall } from "./model-client.ts";
import { snapshotOf } from "./snapshot.ts";

/** The calls about the member itself and the care of its cluster. */
export function maintenanceCalls(model: EtcdModel, make: MakeCall): Maintenance & ClusterVersions & Snapshots {
  return {
    status: (options) =>
      make({ operation: "status", ofLearners: true }, options, ({ process }) => statusOf(model, process)),
    // Even the question is written into the log.
    alarms: (options) =>
      make({ operation: "alarms" }, options, async (call) => {
        await call.agree({ kind: "nothing" });
        return call.process.data.state.alarms;
      }),
    disarm: (alarm, options) =>
      make({ operation: "disarm" }, options, async (call) => {
        await call.agree({ kind: "set-alarm", alarm, isRaised: false });
      }),
    moveLeader: (id, options) => make({ operation: "moveLeader" }, options, (call) => moveLeader(model, call, id)),
    defragment: (options) => make({ operation: "defragment", timeoutMs: 60_000 }, options, () => undefined),
    hashKeyValues: (revision, options) =>
      make({ operation: "hashKeyValues", timeoutMs: 60_000 }, options, ({ process, patience }) => {
        const { keys } = process.data.state;
        if (revision > keys.revision) throw patience.fail("future-revision", "required revision is a future revision");
        if (revision > 0n && revision < keys.compacted)
          throw patience.fail("compacted", "required revision has been compacted");
        const hashed = revision || keys.revision;
        return { hash: hashOf(process.data, hashed), revision: hashed, compactRevision: keys.compacted };
      }),
    downgrade: (step, target, options) =>
      make({ operation: "downgrade" }, options, (call) => downgrade(call, step, target)),
    isAuthEnabled: (options) =>
      make({ operation: "isAuthEnabled" }, options, ({ process, patience }) => {
        if (process.launch.version.minor < 5) throw patience.fail("unsupported", "unknown method AuthStatus");
        return false;
      }),
    clusterVersion: (options) =>
      make({ operation: "clusterVersion", ofLearners: true }, options, ({ process }) => {
        const { minor } = process.data.state;
        return minor === undefined ? "not_decided" : `3.${minor}.0`;
      }),
    async *snapshot(options) {
      yield await make({ operation: "snapshot", ofLearners: true, timeoutMs: 600_000 }, options, ({ process }) =>
        snapshotOf(process.data.state, process.launch.version),
      );
    },
  };
}

const PAGE_BYTES = 4096;

function statusOf(model: EtcdModel, process: EtcdProcess): MemberStatus {
  const { data, launch, isLearner, facts, flags } = process;
  const { state } = data;
  const leader = model.group(data.clusterId).leaderFor(process);
  const [isFull, minor] = [state.isFull, launch.version.minor];
  const sizeBytes = (8 + state.keys.newest.size) * PAGE_BYTES;
  const alarms = state.alarms.map(
    ({ memberId, kind }) => `memberID:${memberId} alarm:${kind === "no-space" ? "NOSPACE" : "CORRUPT"} `,
  );
  return {
    clusterId: data.clusterId,
    memberId: data.memberId,
    version: process.versionText,
    leaderId: leader?.memberId,
    isLearner,
    revision: state.keys.revision,
    // Of what it has applied, not of the leader that it knows.
    raftTerm: BigInt(termAt(data, state.index)),
    raftIndex: BigInt(lastIndex(data)),
    ...(minor >= 4 && { raftAppliedIndex: BigInt(state.index), dbSizeInUseBytes: sizeBytes }),
    dbSizeBytes: isFull ? (flags?.quotaBytes ?? sizeBytes) : sizeBytes,
    ...(minor >= 6 && flags && { dbQuotaBytes: flags.quotaBytes }),
    ...(facts.canDowngrade && state.minor !== undefined && { storageVersion: `3.${state.minor}.0` }),
    ...(facts.canDowngrade && state.downgradeTo !== undefined && { downgradeTarget: `3.${state.downgradeTo}.0` }),
    errors: minor >= 4 ? [...alarms, ...(leader ? [] : ["etcdserver: no leader"])] : [],
  };
}

/** The same for the same keys, on every member. */
function hashOf({ state: { keys } }: DataDir, revision: bigint): number {
  let hash = 0;
  for (const [key, { value, modRevision }] of keys.newest) {
    if (modRevision <= revision) hash ^= crc32(Buffer.from(value), crc32(`${key} ${modRevision}`));
  }
  return hash >>> 0;
}

async function moveLeader(model: EtcdModel, { process, patience }: Call, id: bigint): Promise<void> {
  if (process.role !== "leader") throw patience.fail("not-leader", "etcdserver: not leader");
  const raft = model.group(process.data.clusterId);
  const target = raft.presentOn(process.side).find(({ memberId }) => memberId === id);
  if (target === process) return;
  const isVoter = process.data.state.members.get(id)?.isLearner === false;
  if (!target || !isVoter || !raft.transfer(process, target)) {
    throw patience.fail("refused", "etcdserver: bad leader transferee");
  }
}

async function downgrade(call: Call, step: "validate" | "enable" | "cancel", target: string): Promise<string> {
  const { process, patience } = call;
  const { minor = 0, downgradeTo } = process.data.state;
  if (process.launch.version.minor < 5) throw patience.fail("unsupported", "unknown method Downgrade");
  const toMinor = Number(/^3\.(\d+)/.exec(target)?.[1]);
  await call.leader();
  if (step === "cancel") {
    if (downgradeTo === undefined) throw patience.fail("refused", "etcdserver: no inflight downgrade job");
    await call.agree({ kind: "set-downgrade", toMinor: undefined });
    return `3.${minor}.0`;
  }
  if (downgradeTo !== undefined) throw patience.fail("refused", "etcdserver: cluster has a downgrade job in progress");
  if (toMinor !== minor - 1) throw patience.fail("invalid", "etcdserver: invalid downgrade target version");
  if (step === "enable") await call.agree({ kind: "set-downgrade", toMinor });
  return `3.${minor}.0`;
}
