import { namespaceOf } from "../api/cluster-names.ts";
import { fenceOf } from "../controller/fence.ts";
import type { TrackedClient } from "../controller/tracked-client.ts";
import type { Clock } from "../kubernetes/clock.ts";
import { ownResources } from "../objects/own-resources.ts";
import { addMember } from "./act/add-member.ts";
import { alignClaims } from "./act/align-claims.ts";
import { createRestore } from "./act/create-restore.ts";
import { declareJoin } from "./act/declare-join.ts";
import { declareSeeds } from "./act/declare-seeds.ts";
import { deleteClaims } from "./act/delete-claims.ts";
import { deletePods } from "./act/delete-pods.ts";
import { discardSetAside } from "./act/discard-set-aside.ts";
import { expandClaims } from "./act/expand-claims.ts";
import { fencePods } from "./act/fence-pods.ts";
import { FencedWriter } from "./act/fenced-writer.ts";
import { identifyMembers } from "./act/identify-members.ts";
import { LiveEtcd } from "./act/live-etcd.ts";
import { LiveReads, type Reader } from "./act/live-reads.ts";
import type { MemberClients } from "./act/member-clients.ts";
import { moveLeader } from "./act/move-leader.ts";
import { noteCluster } from "./act/note-cluster.ts";
import { noteDone } from "./act/note-done.ts";
import { noteLogs } from "./act/note-logs.ts";
import { patchPods } from "./act/patch-pods.ts";
import { DONE } from "./act/postponed.ts";
import { promoteMember } from "./act/promote-member.ts";
import { adoptOrphans, reattach } from "./act/reattach.ts";
import { releasePods } from "./act/release-pods.ts";
import { removeMember } from "./act/remove-member.ts";
import { restartMember } from "./act/restart-member.ts";
import { setDowngrade } from "./act/set-downgrade.ts";
import { setGates } from "./act/set-gates.ts";
import { startMembers } from "./act/start-members.ts";
import { stopImpostor } from "./act/stop-impostor.ts";
import { takeOver } from "./act/take-over.ts";
import { turnOverLog } from "./act/turn-over-log.ts";
import { turnRestore } from "./act/turn-restore.ts";
import type { Work } from "./act/work.ts";
import { createObject, writeObjects } from "./act/write-objects.ts";
import type { Action, ActionOutcome } from "./action.ts";
import type { Observation } from "./observation.ts";

export interface ActorDeps {
  /** For live reads; writes go through the pass's own client. */
  readonly client: Reader;
  readonly members: MemberClients;
  /** Our own image, which has the guard in it. */
  readonly guardImage: string;
  readonly isLeading: () => boolean;
  readonly clock: Clock;
}

export interface ActContext {
  readonly writer: TrackedClient;
  readonly signal: AbortSignal;
}

/** Carries an action out. What it could ruin is looked at again first, live; where that differs from what was seen, nothing is done. */
export type Act = (seen: Observation, action: Action, context: ActContext) => Promise<ActionOutcome>;

export function createActor({ client, members, guardImage, isLeading, clock }: ActorDeps): Act {
  const fence = fenceOf(isLeading);
  return async (seen, action, { writer, signal }) => {
    const live = new LiveReads(client, seen, signal);
    const work = {
      seen,
      live,
      etcd: new LiveEtcd(seen, members, fence, live, signal),
      writer: new FencedWriter({ writer, fence, namespace: namespaceOf(seen.cluster), clock, signal }),
      clock,
      guardImage,
    };
    return carryOut(work, action);
  };
}

async function carryOut(work: Work, action: Action): Promise<ActionOutcome> {
  switch (action.kind) {
    // Nothing to do but the status that follows every action, which has a precondition of its own.
    case "none":
    case "hold":
    case "forget-intents":
    case "record-cluster":
    case "begin-restore":
    case "note-saved":
      return DONE;
    case "write-objects":
      return writeObjects(work, action);
    case "declare-join":
      return declareJoin(work, action);
    case "declare-seeds":
      return declareSeeds(work);
    case "note-cluster":
      return noteCluster(work, action.claims);
    case "align-claims":
      return alignClaims(work, action);
    case "start-members":
      return startMembers(work, action.members);
    case "add-member":
      return addMember(work, action);
    case "identify-members":
      return identifyMembers(work, action.clusterId, action.members);
    case "note-logs":
      return noteLogs(work, action.logs);
    case "set-gates":
      return setGates(work, action);
    case "promote-member":
      return promoteMember(work, action.member);
    case "move-leader":
      return moveLeader(work, action);
    case "remove-member":
      return removeMember(work, action);
    case "patch-pods":
      return patchPods(work, action.pods);
    case "restart-member":
      return restartMember(work, action);
    case "set-downgrade":
      return setDowngrade(work, action);
    case "turn-over-log":
      return turnOverLog(work, action);
    case "expand-claims":
      return expandClaims(work, action);
    case "create-backup":
      return (await work.live.clusterHasChanged()) ?? createObject(work, ownResources.etcdBackups, action.backup);
    case "stop-impostor":
      return stopImpostor(work, action);
    case "delete-pods":
      return deletePods(work, action.pods);
    case "delete-claims":
      return deleteClaims(work, action.claims);
    default:
      return carryOutOfRestore(work, action);
  }
}

type OfRestore = Extract<
  Action["kind"],
  | `${string}-restore`
  | "reattach"
  | "adopt-orphans"
  | "take-over"
  | "note-done"
  | "fence-pods"
  | "release-pods"
  | "discard-set-aside"
>;

/** What brings another cluster into the place of one, or continues one. */
async function carryOutOfRestore(
  work: Work,
  action: Extract<Action, { kind: Exclude<OfRestore, "begin-restore"> }>,
): Promise<ActionOutcome> {
  switch (action.kind) {
    case "reattach":
      return reattach(work, action);
    case "adopt-orphans":
      return adoptOrphans(work, action);
    case "take-over":
      return takeOver(work, action);
    case "turn-restore":
      return turnRestore(work, action);
    case "note-done":
      return noteDone(work, action.request);
    case "fence-pods":
      return fencePods(work, action);
    case "release-pods":
      return releasePods(work, action);
    case "discard-set-aside":
      return discardSetAside(work, action);
    case "create-restore":
      return createRestore(work, action);
  }
}
