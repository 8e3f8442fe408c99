import { changeOfCluster } from "@etcd-operator/operator/cluster/act/cluster-change.ts";
import type { ActionOutcome, ObjectId } from "@etcd-operator/operator/cluster/model/action.ts";
import { membersSeen } from "@etcd-operator/operator/cluster/model/members.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import type { Voter } from "@etcd-operator/operator/cluster/model/quorum.ts";
import { type Answer, runningLog, votersIn } from "./etcd-model.ts";
import { FOUNDERS_ARE_NEVER_LATE } from "./known-gaps.ts";
import { healthyPods } from "./observe-world.ts";
import { type Claim, type Etcd, isStale, type Member, type Pod, recordedEtcd, type World } from "./world.ts";

/** The pass ended with an error: the operator died after one of its writes, or could not reach anybody. */
export class PassFailed extends Error {}

export type Belonging = Pick<Claim, "name" | "memberId" | "incarnation">;

export const DONE: ActionOutcome = { kind: "done" };
export const postponed = (why: string): ActionOutcome => ({ kind: "postponed", why, retryMs: 100 });

/** How the operator goes about an action. */
export interface Manner {
  /** It dies after so many writes. */
  readonly afterWrites?: number | undefined;
  /** It took its second look long ago: between that and the write it slept. */
  readonly isLate?: boolean | undefined;
}

/** What an action works with: the same second looks at the world as the `*.act.ts` of the cluster take, and writes that may be the last. */
export class WorkInWorld {
  readonly world: World;
  readonly seen: Observation;
  readonly isLate: boolean;
  #writesLeft: number;

  constructor(world: World, seen: Observation, { afterWrites = Number.POSITIVE_INFINITY, isLate = false }: Manner) {
    this.world = world;
    this.seen = seen;
    this.isLate = isLate && !(FOUNDERS_ARE_NEVER_LATE && seen.cluster.status?.clusterID === undefined);
    this.#writesLeft = afterWrites;
  }

  write(effect: () => void): void {
    if (this.#writesLeft <= 0) throw new PassFailed("cut short");
    this.#writesLeft -= 1;
    effect();
  }

  unlessClusterChanged(act: () => ActionOutcome): ActionOutcome {
    const change = this.isLate ? undefined : changeOfCluster(this.seen.cluster, this.world.cluster);
    return change ? postponed(change) : act();
  }

  /** The recorded cluster, if one of the voters that were healthy still answers for its majority. */
  members(): Etcd {
    const etcd = recordedEtcd(this.world);
    const asked = membersSeen(this.seen).filter(
      ({ health, etcd: entry }) => health === "healthy" && entry && !entry.isLearner,
    );
    const isHeard = asked.some(({ name }) => this.#answers(this.world.pods.get(name)));
    if (!etcd || !isHeard) throw new PassFailed("nobody answers");
    return etcd;
  }

  /** One member's own copy of the list: of the one that has got furthest. */
  newestCopy(): readonly Member[] {
    const asked = membersSeen(this.seen).filter(({ pod, etcd }) => pod?.answer.status && etcd && !etcd.isLearner);
    const logs = asked.flatMap(({ name }) => {
      const pod = this.world.pods.get(name);
      return (pod?.isReachable && runningLog(this.world, pod)) || [];
    });
    const [newest] = logs.sort((a, b) => b.index - a.index);
    if (newest) return newest.members;
    throw new PassFailed("nobody answers");
  }

  voters(etcd: Etcd): readonly Voter[] {
    return votersIn(etcd).map((member) => {
      const pod = this.world.pods.get(member.host);
      const isLeaving = pod !== undefined && (pod.isTerminating || isStale(pod));
      return { name: member.host, isUp: this.isHealthy(member) && !isLeaving };
    });
  }

  isHealthy({ id, host }: Member): boolean {
    const before = this.seen.pods.find(({ name }) => name === host);
    const pod = this.world.pods.get(host);
    if (!before || before.stage === "ended" || !pod || !this.#answers(pod)) return false;
    return runningLog(this.world, pod)?.memberId === id;
  }

  /** Why pods or claims have to stay: their members are in the list, or belong to a cluster that is not on record yet. */
  isStillNeeded(belongings: readonly Belonging[]): boolean {
    if (this.isLate) return false;
    const { clusterID, memberIntents = [] } = this.seen.cluster.status ?? {};
    if (clusterID) {
      const { members } = this.members();
      return belongings.some(({ name, memberId }) => members.some(({ id, host }) => host === name || id === memberId));
    }
    return belongings.some(
      ({ name, memberId, incarnation }) =>
        memberId !== undefined || incarnation === undefined || memberIntents.some((intent) => intent.name === name),
    );
  }

  /** One change of membership, which etcd may refuse. */
  change(ask: () => Answer): ActionOutcome {
    const answers: Answer[] = [];
    this.write(() => answers.push(ask()));
    return answers[0] === "done" ? DONE : postponed("etcd says not now");
  }

  /** To this very pod; and to this very version of it, where one is named. */
  onPod(id: Pick<ObjectId, "name" | "uid"> & { resourceVersion?: string }, effect: (pod: Pod) => void): ActionOutcome {
    const pod = this.world.pods.get(id.name);
    if (!pod) return DONE;
    return this.#onObject(pod, id, effect);
  }

  onClaim(id: ObjectId, effect: (claim: Claim) => void): ActionOutcome {
    const claim = this.world.claims.get(id.name);
    return claim ? this.#onObject(claim, id, effect) : DONE;
  }

  each<T>(items: readonly T[], act: (item: T) => ActionOutcome): ActionOutcome {
    return items.map(act).find(({ kind }) => kind === "postponed") ?? DONE;
  }

  #onObject<T extends Pod | Claim>(
    object: T,
    { uid, resourceVersion }: { uid: string; resourceVersion?: string },
    effect: (object: T) => void,
  ): ActionOutcome {
    const isSame = object.uid === uid && (resourceVersion ?? String(object.version)) === String(object.version);
    if (!isSame) return postponed("it has changed since it was seen");
    this.write(() => {
      object.version += 1;
      effect(object);
    });
    return DONE;
  }

  #answers(pod: Pod | undefined): boolean {
    const log = pod?.isReachable ? runningLog(this.world, pod) : undefined;
    return (
      pod !== undefined && log?.clusterId === this.seen.cluster.status?.clusterID && healthyPods(this.world).has(pod)
    );
  }
}
