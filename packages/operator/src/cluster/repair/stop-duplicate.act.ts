import { resources } from "@etcd-operator/kubernetes-client";
import { postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, StopDuplicate } from "../model/action.ts";
import { toHex } from "../model/hex-id.ts";
import { deletePod } from "./delete-pods.act.ts";

/**
 * Deletes a duplicate's pod if it still is one at this moment, at an address that is still its own, and the other's
 * pod still exists.
 */
export async function stopDuplicate(work: Work, { pod, twin, asMember }: StopDuplicate): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  const [found, other] = await Promise.all([pod, twin].map(({ name }) => work.live.find(resources.pods, name)));
  const { ip } = work.seen.pods.find(({ uid }) => uid === pod.uid) ?? {};
  if (found?.metadata.uid !== pod.uid || found.status?.podIP !== ip) {
    return postponed(`Pod ${pod.name} has changed since it was read`);
  }
  if (other?.metadata.uid !== twin.uid || other.metadata.deletionTimestamp || other.status?.podIP === ip) {
    return postponed(`Pod ${twin.name} has changed since it was read`);
  }
  const { memberId } = await work.etcd.ask(pod.name, (client, options) => client.status(options));
  if (toHex(memberId) !== asMember) return postponed(`${pod.name} responds as another member now`);
  return deletePod(work, pod);
}
