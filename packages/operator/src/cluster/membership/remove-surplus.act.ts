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
  /** What is known for the next one; undefined where it is not enough to go by, and there has to be another look. */
  readonly next: Look | undefined;
}

const NOT_REMOVED = { removed: undefined, next: undefined };

/** Removes members that are well, and too many, one after the other. Their pods go with them. */
export async function removeSurplus(work: Work, member: MemberId, others: readonly MemberId[]): Promise<ActionOutcome> {
  const { look, pods } = await lookForSurplus(work, member, others);
  const run = { work, pods };
  const { removed, next } = await removeAndReadAhead(run, member, others, look);
  if (removed.kind === "postponed") return removed;
  const [spared] = await settled([removeOthers(run, others, [member.id], next), deletePod(run, member)]);
  return spared > 0 ? { kind: "done", spared } : DONE;
}

/**
 * Tells how many of them stay: the first of whom there is a doubt, and all after it. What went wrong with it is found again by the next pass;
 * this one has to tell of those that have gone.
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

/** Whether the spec still wants fewer is read for the next one while this one goes. */
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

/** Undefined if that failed: what became of the member has to be told all the same. */
async function readCluster({ live }: Work): Promise<{ readonly change: Postponed | undefined } | undefined> {
  return live.clusterHasChanged().then(
    (change) => ({ change }),
    () => undefined,
  );
}

/**
 * The pod of a member that a majority has just agreed to do without, so that clients are led elsewhere at once. Its etcd ends by itself now,
 * and the kubelet writes that to the pod: nothing that changes what is in it. Whatever stands in the way is left to the next pass, which
 * finds a pod that is nobody's.
 */
async function deletePod({ work, pods }: Run, { name, id }: MemberId): Promise<void> {
  const pod = pods.get(id);
  if (pod) await unlessChanged(`Pod ${name}`, () => work.writer.deleteChanged(resources.pods, pod));
}
