import type { Scene } from "./scene.ts";

/** The etcd cluster for which an EtcdCluster stands now. */
export interface Lineage {
  readonly clusterId: string | undefined;
  readonly keys: Pick<ReadonlySet<string>, "has">;
}

const NOTHING = new Set<string>();

export function lineageOf({ stage, machine }: Scene): Lineage {
  const clusterId = stage.cluster?.status?.clusterID;
  if (!clusterId) return { clusterId, keys: NOTHING };
  const leader = machine.etcd.group(BigInt(`0x${clusterId}`)).processes.find(({ role }) => role === "leader");
  return { clusterId, keys: leader?.data.state.keys.newest ?? NOTHING };
}
