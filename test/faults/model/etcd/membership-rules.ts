import type { EtcdErrorCode } from "@etcd-operator/etcd-client";
import { majorityOf } from "@etcd-operator/operator/cluster/model/quorum.ts";
import type { EtcdProcess } from "./etcd-process.ts";

export interface Refusal {
  readonly code: EtcdErrorCode;
  readonly reason: string;
}

/** All voters have to have been connected for so long. */
const HEALTH_INTERVAL_MS = 5_000;

/** The leader, the members that it reaches, and since when. */
export interface RulesScene {
  readonly via: EtcdProcess;
  readonly present: readonly EtcdProcess[];
  readonly nowMs: number;
}

const UNHEALTHY: Refusal = { code: "unhealthy-cluster", reason: "etcdserver: unhealthy cluster" };
const NOT_ENOUGH: Refusal = {
  code: "unhealthy-cluster",
  reason: "etcdserver: re-configuration failed due to not enough started members",
};

/** What `--strict-reconfig-check`, which is on by default, has against an addition. */
export function whyNotAdd(scene: RulesScene, asLearner: boolean): Refusal | undefined {
  const { voters, downgradeTo } = scene.via.data.state;
  const started = voters.filter(({ name }) => name !== "").length;
  const isSecond = started === 1 && voters.length === 1;
  if (!asLearner && !isSecond && started < majorityOf(voters.length + 1)) return NOT_ENOUGH;
  if (downgradeTo !== undefined) {
    return { code: "refused", reason: "etcdserver: cluster has a downgrade job in progress" };
  }
  // That it overlooks those that have never started was measured.
  const isCalm = voters.every(({ id, name }) => name === "" || isConnected(scene, id));
  return isCalm ? undefined : UNHEALTHY;
}

export function whyNotRemove(scene: RulesScene, id: bigint): Refusal | undefined {
  const { members, voters } = scene.via.data.state;
  if (members.get(id)?.isLearner !== false) return undefined;
  const rest = voters.filter((voter) => voter.id !== id);
  const started = rest.filter(({ name }) => name !== "").length;
  if (rest.length === 0 || started < majorityOf(rest.length)) return NOT_ENOUGH;
  if (!scene.present.some(({ memberId }) => memberId === id)) return undefined;
  const active = voters.filter((voter) => isConnected(scene, voter.id)).length;
  return active - 1 < 1 + Math.floor((voters.length - 1) / 2) ? UNHEALTHY : undefined;
}

/** The leader alone knows how far a learner is. */
export function whyNotPromote(leader: EtcdProcess, id: bigint): Refusal | undefined {
  const { members, voters } = leader.data.state;
  const learner = members.get(id);
  if (!learner) return { code: "not-found", reason: "etcdserver: member not found" };
  if (!learner.isLearner) {
    return { code: "member-not-learner", reason: "etcdserver: can only promote a learner member" };
  }
  const inSync = (leader.match.get(id) ?? 0) >= leader.data.commit * 0.9;
  if (!inSync) {
    return {
      code: "learner-not-ready",
      reason: "etcdserver: can only promote a learner member which is in sync with leader",
    };
  }
  const started = voters.filter(({ name }) => name !== "").length + 1;
  return started < majorityOf(voters.length + 1) ? NOT_ENOUGH : undefined;
}

function isConnected({ via, present, nowMs }: RulesScene, id: bigint): boolean {
  if (id === via.memberId) return true;
  const other = present.find(({ memberId }) => memberId === id);
  if (!other) return false;
  return nowMs - Math.max(other.linkedSinceMs, via.linkedSinceMs) >= HEALTH_INTERVAL_MS;
}
