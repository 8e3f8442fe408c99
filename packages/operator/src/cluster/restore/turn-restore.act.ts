import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import { RESTORE_ANNOTATION } from "../../api/restore-request.ts";
import { ownResources } from "../../objects/own-resources.ts";
import { DONE, type Postponed, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, Step } from "../model/action.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { withSetAside } from "../observe/set-aside-seen.ts";

type TurnRestore = Extract<Step, { kind: "turn-restore" }>;

/**
 * The next status records it. Before the previous members may run again, a live check: no object of the restored
 * cluster is left.
 */
export async function turnRestore(work: Work, { to }: TurnRestore): Promise<ActionOutcome> {
  if (to === "RollingBack") return (await whyStillWanted(work)) ?? DONE;
  if (to !== "RolledBack") return DONE;
  const { cluster } = work.seen;
  const { live } = work;
  const pods = await live.labelled(resources.pods);
  const own = pods.filter((pod) => isOwnedBy(pod, cluster.metadata.uid));
  const [left] = withSetAside(cluster, own, []).current.pods;
  return left ? postponed(`Pod ${left.metadata.name} of the restored cluster still exists`, 1_000) : DONE;
}

/**
 * A missing request cancels nothing by itself: a tool that replaces the whole EtcdCluster by the one in its
 * repository takes it off every time. As long as its EtcdRestore goes on, that puts it back, and an EtcdRestore that is
 * to end says so in the request.
 */
async function whyStillWanted({ seen: { cluster }, live }: Work): Promise<Postponed | undefined> {
  const { restore } = cluster.status ?? {};
  if (!restore || cluster.metadata.annotations?.[RESTORE_ANNOTATION]) return undefined;
  const found = await live.find(ownResources.etcdRestores, restore.name);
  if (!found || !isAttemptOf(found.metadata.uid, restore.uid) || hasEnded(found)) return undefined;
  return postponed(`EtcdRestore ${restore.name} continues and writes its annotation again; delete it to cancel`, 1_000);
}

function isAttemptOf(uid: string, attempt: string): boolean {
  return attempt === uid || attempt.startsWith(`${uid}-`);
}

function hasEnded({ metadata, status }: Stored<EtcdRestore>): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === "Failed" || status?.phase === "Succeeded";
}
