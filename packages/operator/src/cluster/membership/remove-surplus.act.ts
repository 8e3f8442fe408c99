import { resources } from "@etcd-operator/kubernetes-client";
import { DONE, type Postponed, settled, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, MemberId } from "../model/action.ts";
import { type Look, lookFor, type Removed, removeOne } from "./remove-one.act.ts";
import { lookAfter, lookForSurplus, type SurplusLook } from "./surplus-check.act.ts";

interface Run {
  readonly work: Work;
  readonly pods: SurplusLook["pods"];
}

interface Attempt {
  readonly removed: Removed;
  /** What is known for the next removal; undefined where it is not enough to decide, and another check is needed. */
  readonly next: Look | undefined;
}

const NOT_REMOVED = { removed: undefined, next: undefined };

/** Removes healthy surplus members, one after the other. Their pods are deleted with them. */
export async function removeSurplus(work: Work, member: MemberId, others: readonly MemberId[]): Promise<ActionOutcome> {
  const { look, pods } = await lookForSurplus(work, member, others);
  const run = { work, pods };
  const { removed, next } = await removeAndReadAhead(run, member, others, look);
  if (removed.kind === "postponed") return removed;
  const [spared] = await settled([removeOthers(run, others, [member.id], next), deletePod(run, member)]);
  return spared > 0 ? { kind: "done", spared } : DONE;
}

/**
 * Returns how many of them stay: the first one in doubt, and all after it. The next reconcile finds its problem again;
 * this one has to report those that were removed.
 */
async function removeOthers(
  run: Run,
  members: readonly MemberId[],
  gone: readonly string[],
  known: Look | undefined,
): Promise<number> {
  const [member, ...others] = members;
  if (!member) return 0;
  const attempt = async () => removeAndReadAhead(run, member, others, known ?? (await lookFor(run.work, member, gone)));
  const { removed, next } = await attempt().catch(() => NOT_REMOVED);
  if (removed?.kind !== "removed") return members.length;
  const rest = removeOthers(run, others, [...gone, member.id], next);
  const [spared] = await settled([rest, deletePod(run, member)]);
  return spared;
}

/** Whether the spec still asks for fewer is read for the next one while this one is removed. */
async function removeAndReadAhead(
  { work }: Run,
  member: MemberId,
  others: readonly MemberId[],
  look: Look,
): Promise<Attempt> {
  const [removed, read] = await settled([
    removeOne(work, member, "surplus", look),
    others.length > 0 ? readCluster(work) : Promise.resolve(undefined),
  ]);
  return { removed, next: read && (read.change ?? lookAfter(work, { member, others, look, removed })) };
}

/** Undefined if that failed: the removal has to be reported all the same. */
async function readCluster({ live }: Work): Promise<{ readonly change: Postponed | undefined } | undefined> {
  return live.clusterHasChanged().then(
    (change) => ({ change }),
    () => undefined,
  );
}

/**
 * The pod of a member that a majority has just agreed to remove, so that clients are routed elsewhere at once. Its etcd
 * exits by itself now, and the kubelet writes that to the pod: nothing that changes its data. Any obstacle is left to
 * the next reconcile, which finds a pod without a member.
 */
async function deletePod({ work, pods }: Run, { name, id }: MemberId): Promise<void> {
  const pod = pods.get(id);
  if (pod) await unlessChanged(`Pod ${name}`, () => work.writer.deleteChanged(resources.pods, pod));
}
