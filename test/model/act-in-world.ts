import { TrackedClient } from "@etcd-operator/controller-runtime";
import type { Clock } from "@etcd-operator/kubernetes-client";
import { createActor } from "@etcd-operator/operator/cluster/act.ts";
import type { Action, ActionOutcome } from "@etcd-operator/operator/cluster/model/action.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import type { Hand } from "./hand.ts";
import { KubernetesInWorld } from "./kubernetes-in-world.ts";
import { membersInWorld } from "./member-in-world.ts";
import { OUR_IMAGE, type World } from "./world.ts";

const { signal } = new AbortController();
const UNWATCHED = { wrote: () => {}, deleted: () => {}, leftOpen: () => {} };

/** What carries actions out; tests put one that takes no second look in its place. */
export type Actor = (hand: Hand, seen: Observation, action: Action) => Promise<ActionOutcome>;

/** Carries an action out in the world: the real actor, over clients that are the model itself. */
export function actInWorld(hand: Hand, seen: Observation, action: Action): Promise<ActionOutcome> {
  const client = new KubernetesInWorld(hand);
  const act = createActor({
    client,
    members: membersInWorld(hand),
    guardImage: OUR_IMAGE,
    isLeading: () => true,
    clock: clockOf(hand.world),
  });
  return act(seen, action, { writer: new TrackedClient(client, UNWATCHED), signal });
}

/** The time of the model, in which nothing is ever due. */
export function clockOf(world: World): Clock {
  const now = () => world.nowMs;
  return { now, monotonic: now, after: () => () => {} };
}
