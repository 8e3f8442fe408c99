import { EtcdError } from "@etcd-operator/etcd-client";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ActionError } from "@etcd-operator/operator/cluster/act/action-error.ts";
import { standingFailures } from "@etcd-operator/operator/cluster/bootstrap/start-failures.status.ts";
import type { Action, ActionOutcome } from "@etcd-operator/operator/cluster/model/action.ts";
import { clusterStateOf } from "@etcd-operator/operator/cluster/model/cluster-state.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import { plan } from "@etcd-operator/operator/cluster/plan.ts";
import { afterAction } from "@etcd-operator/operator/cluster/record.ts";
import { provablyLost } from "@etcd-operator/operator/cluster/restore/provable-loss.rule.ts";
import { activeRestore } from "@etcd-operator/operator/cluster/restore/restoring.rule.ts";
import { logMarkOf } from "@etcd-operator/operator/cluster/rollout/log-mark.rule.ts";
import { versionsOf } from "@etcd-operator/operator/cluster/status/cluster-versions.status.ts";
import { standingIntents } from "@etcd-operator/operator/cluster/status/member-intents.status.ts";
import { memberStatusOf } from "@etcd-operator/operator/cluster/status/member-status.status.ts";
import { statusAfter } from "@etcd-operator/operator/cluster/status.ts";
import { type Actor, actInWorld } from "./act-in-world.ts";
import { Hand, type Manner, PassFailed } from "./hand.ts";
import { observeWorld } from "./observe-world.ts";
import { noteUnsaved } from "./unsaved.ts";
import { changeCluster, nextNumber, type World } from "./world.ts";

/** What decides; tests put worse ones in its place to see that the model notices. */
export type Planner = (seen: Observation) => Action;

/** What was seen, and what is to be done about it. */
export interface Thought {
  readonly seen: Observation;
  readonly action: Action;
  /** The world as the operator saw it, for one that sleeps after its second look. */
  readonly before?: World | undefined;
}

export interface Interruption extends Manner {
  /** Another client wrote the status in between. */
  readonly losesStatus?: boolean | undefined;
}

/** The operator that acts, and what is recorded of it. */
interface Ways {
  readonly actor?: Actor;
  readonly statusAfterwards?: typeof statusAfter;
}

export type PassOutcome = ActionOutcome | { readonly kind: "failed" | "conflict"; readonly why: string };

/**
 * @param cached pods and claims as a watch that lags behind has them; etcd and the cluster's own object are asked all
 * the same
 */
export function think(world: World, planner: Planner = plan, cached?: Observation): Thought {
  const live = observeWorld(world);
  const seen = cached ? lagging(live, cached) : live;
  return { seen, action: planner(seen) };
}

/** Which of the pods and claims are set aside, the cluster's own object says. */
function lagging(live: Observation, cached: Observation): Observation {
  const { status } = live.cluster;
  const isSame = activeRestore(cached.cluster.status ?? {})?.incarnation === activeRestore(status ?? {})?.incarnation;
  if (!isSame) return live;
  return { ...live, pods: answering(cached.pods, live), claims: cached.claims, setAside: cached.setAside };
}

function answering(pods: Observation["pods"], live: Observation): Observation["pods"] {
  return pods.map((pod) => {
    const answer = live.pods.find(({ uid }) => uid === pod.uid)?.answer ?? { health: "unknown", why: "not reached" };
    return { ...pod, answer };
  });
}

/** Does what was thought of, now or much later, and writes the status. */
export async function carryOut(
  world: World,
  thought: Thought,
  interruption: Interruption = {},
  { actor = actInWorld, statusAfterwards = statusAfter }: Ways = {},
): Promise<PassOutcome> {
  const { seen, action } = thought;
  const outcome = await attempt(new Hand(world, interruption, thought.before), thought, actor);
  if (outcome.kind !== "done" && outcome.kind !== "postponed") return outcome;
  const isOutdated = world.cluster.metadata.resourceVersion !== seen.cluster.metadata.resourceVersion;
  if (isOutdated || interruption.losesStatus) return { kind: "conflict", why: "the cluster has changed" };
  const status = statusAfterwards(seen, action, outcome);
  if (essence(seen.cluster.status) !== essence(status)) changeCluster(world, { status });
  noteUnsaved(world, action, status);
  if (action.kind === "declare-seeds" || action.kind === "declare-join") useUpNames(world, action);
  return outcome;
}

/**
 * The part of the status that the next reconcile relies on. Conditions and counts are for users, and take more time
 * than all the rest.
 */
export function notesAfter(seen: Observation, action: Action, outcome: ActionOutcome): EtcdClusterStatus {
  const state = clusterStateOf(afterAction(seen, action, outcome), action, seen.cluster.status ?? {});
  const { now, phase } = state;
  const { clusterID, incarnation, restore } = now.status;
  const memberStatus = memberStatusOf(state);
  const currentVersion = versionsOf(state, memberStatus).current;
  const isLost = provablyLost(now).length > 0;
  const majorityLostSince = isLost ? (now.status.majorityLostSince ?? new Date(seen.nowMs).toISOString()) : undefined;
  const logMark = logMarkOf(state);
  const notes = { phase, memberStatus, currentVersion, clusterID, incarnation, restore, majorityLostSince, logMark };
  return { ...notes, memberIntents: standingIntents(now), startFailures: standingFailures(now) };
}

/** What `isWorthWriting` checks, only faster: a model writes millions of them. */
function essence(status: EtcdClusterStatus = {}): string {
  const known = essences.get(status);
  if (known !== undefined) return known;
  const memberStatus = status.memberStatus?.map(({ revision: _, ...member }) => member);
  const text = JSON.stringify({ ...status, memberStatus });
  essences.set(status, text);
  return text;
}

const essences = new WeakMap<EtcdClusterStatus, string>();

async function attempt(hand: Hand, { seen, action }: Thought, actor: Actor): Promise<PassOutcome> {
  try {
    const outcome = await actor(hand, seen, action);
    return hand.isDead ? { kind: "failed", why: "cut short" } : outcome;
  } catch (error) {
    if (isOfPass(error)) return { kind: "failed", why: error.message };
    throw error;
  }
}

/** Errors after which the next reconcile would retry; anything else is a mistake in the model. */
function isOfPass(error: unknown): error is Error {
  return [PassFailed, KubernetesError, EtcdError, ActionError].some((kind) => error instanceof kind);
}

function useUpNames(world: World, action: Action): void {
  const count = action.kind === "declare-seeds" ? action.names.length : 1;
  for (let used = 0; used < count; used += 1) nextNumber(world);
}
