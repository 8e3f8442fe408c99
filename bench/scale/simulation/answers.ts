import { create, type DescMethodUnary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { frame } from "@etcd-operator/etcd-client/grpc/frame.ts";
import { pathOf } from "@etcd-operator/etcd-client/message-stream.ts";
import { Cluster } from "@etcd-operator/etcd-client/protocol/generated/cluster_pb.ts";
import { KV } from "@etcd-operator/etcd-client/protocol/generated/kv_pb.ts";
import { Maintenance } from "@etcd-operator/etcd-client/protocol/generated/maintenance_pb.ts";
import { CLIENT_PORT, PEER_PORT } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import { idOf, NAMESPACE, VERSION } from "../fleet-names.ts";

/** A member's answers, by the path of the call; encoded once, as they never change without writes. */
export type Answers = ReadonlyMap<string, Buffer>;

interface Named {
  readonly name: string;
  readonly cluster: string;
  readonly id: bigint;
}

export const MEMBER_LIST = pathOf(Cluster.method.memberList);
export const RANGE = pathOf(KV.method.range);

/** As a member of a healthy cluster without writes. The first by name leads. */
export function answersOf({ cluster, id }: Named, all: readonly Named[]): Answers {
  const header = { clusterId: idOf(cluster), memberId: id, revision: 1n, raftTerm: 2n };
  const leader = all.toSorted((a, b) => (a.name < b.name ? -1 : 1))[0]?.id ?? 0n;
  const raft = { leader, raftTerm: 2n, raftIndex: 9n, raftAppliedIndex: 9n };
  const sizes = { dbSize: 20_480n, dbSizeInUse: 16_384n };
  return new Map([
    answer(Maintenance.method.status, { header, version: VERSION, ...raft, ...sizes }),
    answer(Maintenance.method.alarm, { header }),
    answer(KV.method.range, { header }),
    answer(Cluster.method.memberList, { header, members: all.map(listed) }),
  ]);
}

function listed({ name, cluster, id }: Named) {
  const host = `${name}.${cluster}.${NAMESPACE}.svc`;
  return { ID: id, name, peerURLs: [`http://${host}:${PEER_PORT}`], clientURLs: [`http://${host}:${CLIENT_PORT}`] };
}

function answer<M extends DescMethodUnary>(method: M, message: MessageInitShape<M["output"]>): [string, Buffer] {
  const output: M["output"] = method.output;
  return [pathOf(method), frame(toBinary(output, create(output, message)))];
}
