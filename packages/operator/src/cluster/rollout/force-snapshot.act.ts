import type { EtcdClient } from "@etcd-operator/etcd-client";
import { EtcdError } from "@etcd-operator/etcd-client";
import { barred, DONE, settled } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, Step } from "../model/action.ts";

type TurnOverLog = Extract<Step, { kind: "force-snapshot" }>;

// One round takes a second or two; the rest is left to the next reconcile, so that nothing more urgent waits for long.
const MOST_ENTRIES = 10_000;
// etcd writes what comes together at once. More would keep clients waiting for longer, and save little.
const AT_A_TIME = 64;

/** Asks for alarms, again and again: of all that etcd writes into its log, this question alone changes nothing. */
export async function forceSnapshot(work: Work, { upTo }: TurnOverLog): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  const list = await work.etcd.members();
  if (list.kind === "postponed") return list;
  try {
    await write(work, list.via, upTo);
    return DONE;
  } catch (error) {
    if (!(error instanceof EtcdError) || error.code !== "auth") throw error;
    return barred(`etcd requires authentication: write keys until its raft index reaches ${upTo}`);
  }
}

async function write({ etcd }: Work, via: EtcdClient, upTo: number): Promise<void> {
  const { raftAppliedIndex = 0n } = await via.status();
  let left = Math.min(MOST_ENTRIES, upTo - Number(raftAppliedIndex));
  const askOn = async () => {
    while (left > 0) {
      left -= 1;
      await etcd.change("forcing a raft snapshot", via, (member, options) => member.alarms(options));
    }
  };
  await settled(Array.from({ length: AT_A_TIME }, askOn));
}
