import type { TrackedClient } from "@etcd-operator/controller-runtime";
import { fenceOf } from "@etcd-operator/controller-runtime";
import type { Clock } from "@etcd-operator/kubernetes-client";
import { namespaceOf } from "../api/cluster/cluster-names.ts";
import { ownResources } from "../objects/own-resources.ts";
import { FencedWriter } from "./act/fenced-writer.ts";
import { LiveEtcd } from "./act/live-etcd.ts";
import { LiveReads, type Reader } from "./act/live-reads.ts";
import type { MemberClients } from "./act/member-clients.ts";
import { DONE } from "./act/postponed.ts";
import type { Work } from "./act/work.ts";
import { declareSeeds } from "./bootstrap/declare-seeds.act.ts";
import { adoptOrphans, reattach } from "./bootstrap/reattach.act.ts";
import { noteCluster } from "./bootstrap/record-cluster.act.ts";
import { takeOver } from "./bootstrap/take-over.act.ts";
import { addMember } from "./membership/add-member.act.ts";
import { declareJoin } from "./membership/declare-join.act.ts";
import { identifyMembers } from "./membership/identify-members.act.ts";
import { moveLeader } from "./membership/move-leader.act.ts";
import { promoteMember } from "./membership/promote-member.act.ts";
import { removeMember } from "./membership/remove-member.act.ts";
import { setGates } from "./membership/set-gates.act.ts";
import type { Action, ActionOutcome } from "./model/action.ts";
import type { Observation } from "./model/observation.ts";
import { createObject, writeObjects } from "./objects/write-objects.act.ts";
import { isRecordOnly } from "./record.ts";
import { deletePods } from "./repair/delete-pods.act.ts";
import { startMembers } from "./repair/start-members.act.ts";
import { stopDuplicate } from "./repair/stop-duplicate.act.ts";
import { createRestore } from "./restore/create-restore.act.ts";
import { discardSetAside } from "./restore/discard-set-aside.act.ts";
import { fencePods } from "./restore/fence-pods.act.ts";
import { noteDone } from "./restore/record-done.act.ts";
import { releasePods } from "./restore/release-pods.act.ts";
import { turnRestore } from "./restore/turn-restore.act.ts";
import { forceSnapshot } from "./rollout/force-snapshot.act.ts";
import { patchPods } from "./rollout/patch-pods.act.ts";
import { restartMember } from "./rollout/restart-member.act.ts";
import { setDowngrade } from "./rollout/set-downgrade.act.ts";
import { alignClaims } from "./storage/align-claims.act.ts";
import { deleteClaims } from "./storage/delete-claims.act.ts";
import { expandClaims } from "./storage/expand-claims.act.ts";
import { recordLogs } from "./storage/record-logs.act.ts";

export interface ActorDeps {
  /** For live reads; writes use the reconcile's own client. */
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

/**
 * Carries an action out. Everything that it could ruin is checked again first, live; where that differs from the
 * observation, nothing is done.
 */
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
  // The status that follows every action has on record what `record.ts` says. Of these that is all there is to do.
  if (isRecordOnly(action)) return DONE;
  switch (action.kind) {
    case "none":
    case "hold":
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
    case "record-logs":
      return recordLogs(work, action.logs);
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
    case "force-snapshot":
      return forceSnapshot(work, action);
    case "expand-claims":
      return expandClaims(work, action);
    case "create-backup":
      return (await work.live.clusterHasChanged()) ?? createObject(work, ownResources.etcdBackups, action.backup);
    case "stop-duplicate":
      return stopDuplicate(work, action);
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
