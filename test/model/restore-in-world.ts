import type { EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { restoreAnnotation } from "@etcd-operator/operator/api/restore-request.ts";
import type {
  Action,
  ActionOutcome,
  CreateRestore,
  DiscardSetAside,
  FencePods,
  Step,
} from "@etcd-operator/operator/cluster/model/action.ts";
import { hasAllSaved, isKept, isSetAside } from "@etcd-operator/operator/cluster/restore/restoring.rule.ts";
import { deleteClaim, deletePod, OUR_IMAGE } from "./kubelet-model.ts";
import { DONE, postponed, type WorkInWorld } from "./work-in-world.ts";
import { annotateCluster, type Claim, type Pod, type World } from "./world.ts";

/** Stops members of an earlier incarnation, as `packages/operator/src/cluster/restore/fence-pods.act.ts` does. */
export function fencePods(work: WorkInWorld, { toDelete, toStop }: FencePods): ActionOutcome {
  const { world } = work;
  const deleted = work.each(toDelete, (id) => {
    const pod = world.pods.get(id.name);
    const claim = world.claims.get(id.name);
    const isOnClaim = pod !== undefined && pod.emptyDir === undefined;
    if (isOnClaim && (!claim || claim.isTerminating)) return postponed("its claim would go with it");
    return work.onPod(id, (each) => deletePod(world, each));
  });
  const stopped = work.each(toStop, ({ name, uid }) => {
    const pod = world.pods.get(name);
    if (!pod || pod.fencedImage !== undefined) return DONE;
    if (!isSetAside(pod, world.cluster.status)) return postponed("it is another one by now");
    return work.onPod({ name, uid }, (each) =>
      Object.assign(each, { fencedImage: each.image, image: OUR_IMAGE, isFenceSeen: false }),
    );
  });
  return deleted.kind === "postponed" ? deleted : stopped;
}

export function releasePods(work: WorkInWorld, { pods }: Extract<Step, { kind: "release-pods" }>): ActionOutcome {
  return work.each(pods, ({ pod: { name, uid }, image }) => {
    if (work.world.pods.get(name)?.fencedImage === undefined) return DONE;
    return work.onPod({ name, uid }, (pod) =>
      Object.assign(pod, { image, fencedImage: undefined, isFenceSeen: false, trouble: undefined }),
    );
  });
}

export function discardSetAside(work: WorkInWorld, { pods, claims, noRoomFor }: DiscardSetAside): ActionOutcome {
  const { world } = work;
  if (noRoomFor === undefined && !work.isLate) {
    const voters = work.voters(work.members());
    const isWhole = voters.length >= work.seen.cluster.spec.size && voters.every(({ isUp }) => isUp);
    if (!isWhole) return postponed("the restored cluster is not whole");
  }
  const isFormer = (made: { readonly incarnation: number | undefined } | undefined) =>
    made !== undefined && isSetAside(made, world.cluster.status);
  const { restore } = work.seen.cluster.status ?? {};
  const mayGo = (made: Claim | Pod | undefined) =>
    made !== undefined && isFormer(made) && restore !== undefined && hasAllSaved(restore) && !isKept(made, { restore });
  const gone = work.each(pods, (id) => {
    const pod = world.pods.get(id.name);
    const goes = noRoomFor === undefined ? isFormer(pod) : mayGo(pod);
    return goes ? work.onPod(id, (each) => deletePod(world, each)) : DONE;
  });
  const cleared = work.each(claims, (id) =>
    mayGo(world.claims.get(id.name)) ? work.onClaim(id, ({ name }) => deleteClaim(world, name)) : DONE,
  );
  return gone.kind === "postponed" ? gone : cleared;
}

export function turnRestore({ world }: WorkInWorld, { to }: Extract<Step, { kind: "turn-restore" }>): ActionOutcome {
  const isLeft = [...world.pods.values()].some((pod) => !isSetAside(pod, world.cluster.status));
  return to === "RolledBack" && isLeft ? postponed("something of the restored cluster is still there") : DONE;
}

export function noteDone(work: WorkInWorld, { request }: Extract<Step, { kind: "note-done" }>): ActionOutcome {
  const { world, seen } = work;
  const isSame = world.cluster.metadata.resourceVersion === seen.cluster.metadata.resourceVersion;
  if (!isSame) return postponed("the cluster has changed");
  work.write(() => annotateCluster(world, restoreAnnotation(request)));
  return DONE;
}

/** What is in no store from now on, or is what there is again. */
export function noteUnsaved(world: World, action: Action, { restore }: EtcdClusterStatus): void {
  const { claims, unsaved } = world;
  if (action.kind === "note-saved" && action.allSaved) breakUnlessSaved(world, restore);
  const isBeginning = action.kind === "begin-restore" && restore?.state === "Fencing" && !restore.saved;
  const isPastFencing = restore?.state === "Restoring" || restore?.state === "Joining";
  const isUnsaved = isBeginning || (restore !== undefined && isPastFencing && !hasAllSaved(restore));
  if (isUnsaved && restore) {
    const former = [...claims.values()].filter((claim) => isSetAside(claim, { restore }));
    for (const { uid } of former) if (!unsaved.has(uid)) unsaved.set(uid, restore.uid);
  }
  if (action.kind !== "turn-restore" || action.to !== "RolledBack") return;
  for (const [uid, restoreUid] of unsaved) if (restoreUid === restore?.uid) unsaved.delete(uid);
}

function breakUnlessSaved({ etcds, broken }: World, restore: EtcdClusterStatus["restore"]): void {
  const { acknowledged = 0 } = etcds.get(restore?.savedClusterID ?? "") ?? {};
  if (acknowledged <= (restore?.savedRevision ?? -1)) return;
  broken.push(
    `all is said to be saved up to ${restore?.savedRevision}, but a client was told that ${acknowledged} is safe`,
  );
}

export function createRestore(work: WorkInWorld, { restore, lost }: CreateRestore): ActionOutcome {
  const { world } = work;
  const isThere = (name: string) => {
    const pod = world.pods.get(name);
    return world.claims.has(name) || (pod !== undefined && pod.stage !== "ended");
  };
  if (!work.isLate && lost.some(isThere)) return postponed("the data of one of them is there");
  work.write(() => world.recoveries.add(restore.metadata.name));
  return DONE;
}
