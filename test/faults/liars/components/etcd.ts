import { createHash } from "node:crypto";
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { connectEtcd, type EtcdClient, EtcdError } from "@etcd-operator/etcd-client";
import {
  MemberAddResponseSchema,
  MemberListResponseSchema,
} from "@etcd-operator/etcd-client/protocol/generated/cluster_pb.ts";
import { RangeResponseSchema } from "@etcd-operator/etcd-client/protocol/generated/kv_pb.ts";
import {
  AlarmResponseSchema,
  HashKVResponseSchema,
  SnapshotResponseSchema,
  StatusResponseSchema,
} from "@etcd-operator/etcd-client/protocol/generated/maintenance_pb.ts";
import { systemClock } from "@etcd-operator/kubernetes-client";
import { SnapshotError } from "@etcd-operator/operator/transfer/snapshot/snapshot-error.ts";
import { SnapshotSource } from "@etcd-operator/operator/transfer/snapshot/snapshot-source.ts";
import { grpcLiar } from "../grpc-liar.ts";
import { type GrpcLie, grpcLies } from "../lies/grpc.ts";
import type { Component, Read } from "../play.ts";

/** The patience with a member that sends nothing of its snapshot. */
const STALL_MS = 60_000;

const header = { clusterId: 1n, memberId: 2n, revision: 3n, raftTerm: 4n };
const database = Buffer.alloc(512, "data");
const snapshot = Buffer.concat([database, createHash("sha256").update(database).digest()]);

/** What an honest member says to each call. */
const ANSWERS: Readonly<Record<string, readonly Uint8Array[]>> = {
  MemberList: [message(MemberListResponseSchema, { header, members: [{ ID: 2n, name: "a" }] })],
  MemberAdd: [message(MemberAddResponseSchema, { header, member: { ID: 5n }, members: [{ ID: 2n }, { ID: 5n }] })],
  Status: [message(StatusResponseSchema, { header, version: "3.5.16", leader: 2n })],
  Alarm: [message(AlarmResponseSchema, { header })],
  HashKV: [message(HashKVResponseSchema, { header, hash: 7 })],
  Range: [
    message(RangeResponseSchema, { header, count: 1n, kvs: [{ key: Buffer.from("a"), value: Buffer.from("b") }] }),
  ],
  Snapshot: [message(SnapshotResponseSchema, { header, blob: snapshot })],
};

const calls: Readonly<Record<string, (client: EtcdClient, timeoutMs: number) => Promise<unknown>>> = {
  members: (client) => client.members(),
  "add-member": (client) => client.addMember({ peerUrls: ["http://b:2380"], asLearner: true }),
  status: (client) => client.status(),
  alarms: (client) => client.alarms(),
  hash: (client, timeoutMs) => client.hashKeyValues(1n, { timeoutMs }),
  range: (client) => client.range({ key: "a" }),
  snapshot: readSnapshot,
};

const notOfSnapshots = {
  "no-status": "its bytes tell whether it is whole",
  "messages-without-end": "it may be of any size, and its bytes are handed on",
};
const reads: Readonly<Record<string, Read>> = Object.fromEntries(
  Object.keys(calls).map((name) => [name, name === "snapshot" ? { not: notOfSnapshots } : {}]),
);

/**
 * A member that a cluster consists of, or one of the `etcdEndpoints` of a backup: both are asked by the same client.
 */
export const etcd: Component = {
  name: "etcd",
  reads,
  lies: grpcLies,
  // The lies are those above.
  serve: (lying) => grpcLiar(truthOf, lying && { read: lying.read, lie: lying.lie as GrpcLie }),
  connect(address, timeoutMs) {
    const client = connectEtcd({ address }, { timeoutMs });
    return {
      ask: async (read) => calls[read]?.(client, timeoutMs),
      close: () => client.close(),
    };
  },
  codeOf: (error) => (error instanceof EtcdError || error instanceof SnapshotError ? error.code : undefined),
};

function truthOf(path: string): readonly Uint8Array[] {
  return ANSWERS[path.slice(path.lastIndexOf("/") + 1)] ?? [];
}

function message<Schema extends DescMessage>(schema: Schema, init: MessageInitShape<Schema>): Uint8Array {
  return toBinary(schema, create(schema, init));
}

/** As a backup reads it; what is done with its bytes does not matter here. */
async function readSnapshot(client: EtcdClient, patienceMs: number): Promise<void> {
  const abort = new AbortController();
  const source = new SnapshotSource(client.snapshot({ signal: abort.signal }), {
    clock: { ...systemClock, after: (ms, run) => systemClock.after((ms / STALL_MS) * patienceMs, run) },
    from: `etcd ${client.endpoint}`,
    cancel: (why) => abort.abort(why),
    beforeEnd: async () => undefined,
  });
  try {
    for await (const _ of source);
  } catch (error) {
    throw abort.signal.aborted ? abort.signal.reason : error;
  }
}
