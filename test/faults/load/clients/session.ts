import { connectEtcd, type EtcdClient } from "@etcd-operator/etcd-client";
import type { Random } from "../../../model/random.ts";
import type { Recorder } from "../history/recorder.ts";

/** What the clients of a run share. */
export interface Scene {
  readonly recorder: Recorder;
  /** Where members may be reached. */
  readonly addresses: () => readonly string[];
  /** The cluster they mean, which changes with a restore; answers of another cluster are not trusted. */
  readonly epoch: () => { readonly number: number; readonly clusterId: bigint };
}

export const TIMEOUT_MS = 1_500;
// etcd hangs up on clients that ping more often than every 5 s.
const KEEP_ALIVE = { connectTimeoutMs: 1_000, pingIntervalMs: 6_000, pingTimeoutMs: 3_000 };

/** Connects to one of the members, and gets an answer before any request: what then fails may have been sent. */
export async function connectToAny(
  { addresses, epoch }: Scene,
  random: Random,
): Promise<{ client: EtcdClient; epoch: number }> {
  const address = random.pick(addresses());
  if (address === undefined) throw new Error("no member is known");
  const { number, clusterId } = epoch();
  const options = { timeoutMs: TIMEOUT_MS, expectClusterId: clusterId, keepAlive: KEEP_ALIVE };
  const client = connectEtcd({ address }, options);
  try {
    await client.status();
    return { client, epoch: number };
  } catch (error) {
    client.close();
    throw error;
  }
}
