import type { Action, ActionOutcome, MemberId, Removal } from "@etcd-operator/operator/cluster/model/action.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import { hasQuorum, keepsQuorumWithout } from "@etcd-operator/operator/cluster/model/quorum.ts";
import { isSetAside } from "@etcd-operator/operator/cluster/restore/restoring.rule.ts";
import { elect, electable, leaderOf, promoteMember, removeMember, runningLog } from "./etcd-model.ts";
import { deleteClaim, deletePod } from "./kubelet-model.ts";
import { addMember, formerMayRun, startMember } from "./make-member.ts";
import { restartMember } from "./restart-in-world.ts";
import { createRestore, discardSetAside, fencePods, noteDone, releasePods, turnRestore } from "./restore-in-world.ts";
import { type Belonging, DONE, type Manner, postponed, WorkInWorld } from "./work-in-world.ts";
import { type Claim, type Member, type Pod, recordedEtcd, type World } from "./world.ts";

type StepOf<K extends Action["kind"]> = Extract<Action, { kind: K }>;

/** Does what an action asks, as `packages/operator/src/cluster/act.ts` does it. The status is written by whoever calls. */
export function actInWorld(world: World, seen: Observation, action: Action, manner: Manner): ActionOutcome {
  const work = new WorkInWorld(world, seen, manner);
  switch (action.kind) {
    case "none":
    case "hold":
    case "declare-join":
    case "forget-intents":
    case "record-cluster":
    case "begin-restore":
    case "note-saved":
    // No member in the model tells how far in its log it is, and no spec names a backup.
    case "turn-over-log":
    case "note-logs":
    case "create-backup":
    // Nobody in the model runs on a copy of another's data.
    case "stop-impostor":
      return DONE;
    case "declare-seeds":
      return declareSeeds(work);
    case "write-objects":
      return writeObjects(work, action);
    // No EtcdCluster in the model comes after another one.
    case "reattach":
    case "adopt-orphans":
    case "take-over":
      return postponed("there is nothing of a deleted EtcdCluster");
    case "note-cluster":
      return noteCluster(work, action);
    case "align-claims":
      return work.unlessClusterChanged(() => alignClaims(work, action));
    case "start-members":
      return work.unlessClusterChanged(() => work.each(action.members, (member) => startMember(work, member)));
    case "add-member":
      return work.unlessClusterChanged(() => addMember(work, action));
    case "identify-members":
      return identify(work, action);
    case "set-gates":
      return setGates(work, action);
    case "promote-member":
      return promote(work, action);
    case "patch-pods":
      return patchPods(work, action);
    case "restart-member":
      return work.unlessClusterChanged(() => restartMember(work, action));
    case "set-downgrade":
      return work.unlessClusterChanged(() => setDowngrade(work, action));
    case "expand-claims":
      return expandClaims(work, action);
    case "move-leader":
      return moveLeader(work, action);
    case "remove-member":
      return work.unlessClusterChanged(() => removeAll(work, action));
    case "delete-pods":
      return work.unlessClusterChanged(() => deletePods(work, action));
    case "delete-claims":
      return work.unlessClusterChanged(() => deleteClaims(work, action));
    default:
      return actOfRestore(work, action);
  }
}

type OfRestore =
  | Extract<Action["kind"], "turn-restore" | "note-done" | "fence-pods" | "release-pods">
  | "discard-set-aside"
  | "create-restore";

function actOfRestore(work: WorkInWorld, action: Extract<Action, { kind: OfRestore }>): ActionOutcome {
  switch (action.kind) {
    case "turn-restore":
      return turnRestore(work, action);
    case "note-done":
      return noteDone(work, action);
    case "fence-pods":
      return work.unlessClusterChanged(() => fencePods(work, action));
    case "release-pods":
      return work.unlessClusterChanged(() => releasePods(work, action));
    case "discard-set-aside":
      return work.unlessClusterChanged(() => discardSetAside(work, action));
    case "create-restore":
      return work.unlessClusterChanged(() => createRestore(work, action));
  }
}

function declareSeeds(work: WorkInWorld): ActionOutcome {
  const { world, seen } = work;
  const isSame = world.cluster.metadata.resourceVersion === seen.cluster.metadata.resourceVersion;
  if (!isSame) return postponed("the cluster has changed");
  const made = [...world.pods.values(), ...world.claims.values()];
  if (made.some((each) => !isSetAside(each, world.cluster.status))) return postponed("pods or claims are there");
  return formerMayRun(work) ? postponed("a member of before may run") : DONE;
}

function writeObjects(work: WorkInWorld, { services, disruptionBudget }: StepOf<"write-objects">): ActionOutcome {
  const { world } = work;
  for (const { wanted } of services) {
    work.write(() => {
      if (wanted.metadata?.name?.endsWith("-client")) world.hasClientService = true;
      else world.hasPeerService = true;
    });
  }
  if (!disruptionBudget) return DONE;
  work.write(() => {
    world.minAvailable = Number(disruptionBudget.wanted.spec?.minAvailable);
  });
  return DONE;
}

function alignClaims(work: WorkInWorld, { claims, isOwned }: StepOf<"align-claims">): ActionOutcome {
  return work.each(claims, (id) =>
    work.onClaim(id, (claim) => {
      claim.isOwned = isOwned;
    }),
  );
}

function noteCluster(work: WorkInWorld, { claims }: StepOf<"note-cluster">): ActionOutcome {
  return work.each(claims, ({ claim: id, record }) =>
    work.onClaim(id, (claim) => {
      Object.assign(claim, { record, isLeaving: undefined });
    }),
  );
}

function identify(work: WorkInWorld, { clusterId, members }: StepOf<"identify-members">): ActionOutcome {
  return work.each(members, ({ memberId, pod, claim, specHash, claimHash, record }) => {
    const write = (object: Pod | Claim) => Object.assign(object, { memberId, clusterId });
    const onClaim = claim
      ? work.onClaim(claim, (there) =>
          Object.assign(write(there), claimHash !== undefined && { claimHash }, record && { record }),
        )
      : DONE;
    if (onClaim.kind === "postponed" || !pod) return onClaim;
    return work.onPod(pod, (there) => Object.assign(write(there), specHash !== undefined && { specHash }));
  });
}

function patchPods(work: WorkInWorld, { pods }: StepOf<"patch-pods">): ActionOutcome {
  return work.each(pods, ({ pod: id, labels }) =>
    work.onPod(id, (pod) => {
      const kept = Object.entries({ ...pod.labels, ...labels }).filter(([, value]) => value !== null);
      pod.labels = Object.fromEntries(kept) as Pod["labels"];
    }),
  );
}

function setDowngrade(work: WorkInWorld, { step, target }: StepOf<"set-downgrade">): ActionOutcome {
  const etcd = work.members();
  return work.change(() => {
    if (!leaderOf(work.world, etcd)) return "refused";
    etcd.downgradeTarget = step === "enable" ? target : undefined;
    return "done";
  });
}

function expandClaims(work: WorkInWorld, { claims, storage }: StepOf<"expand-claims">): ActionOutcome {
  return work.each(claims, (id) =>
    work.onClaim(id, (claim) => {
      claim.storage = storage;
    }),
  );
}

function setGates(work: WorkInWorld, { gates }: StepOf<"set-gates">): ActionOutcome {
  return work.each(gates, ({ pod: { name, uid }, isOpen }) =>
    work.onPod({ name, uid }, (pod) => {
      pod.gate = isOpen ? "open" : "closed";
    }),
  );
}

function promote(work: WorkInWorld, { member: { name, id } }: StepOf<"promote-member">): ActionOutcome {
  const pod = work.world.pods.get(name);
  if (pod?.isTerminating) return postponed("the pod is being deleted");
  if (pod?.memberId !== id) return postponed("the pod does not say which member it holds");
  const etcd = work.members();
  const entry = etcd.members.find((member) => member.id === id);
  if (!entry) return postponed("it is not a member any more");
  const isSafe = work.isLate || hasQuorum([...work.voters(etcd), { name, isUp: true }]);
  if (entry.isLearner && !isSafe) return postponed("too few voters answer to be a majority with it");
  return entry.isLearner ? work.change(() => promoteMember(work.world, etcd, id)) : DONE;
}

function moveLeader(work: WorkInWorld, { from, to }: StepOf<"move-leader">): ActionOutcome {
  const { world } = work;
  const etcd = recordedEtcd(world);
  return work.change(() => {
    const next = etcd && electable(world, etcd).find(({ member }) => member.id === to.id);
    if (!etcd || !next || etcd.leaderId !== from.id) return "refused";
    elect(world, etcd, next);
    return "done";
  });
}

function removeAll(work: WorkInWorld, { member, others = [], because }: StepOf<"remove-member">): ActionOutcome {
  const outcome = remove(work, member, because, work.isLate);
  if (outcome.kind === "postponed") return outcome;
  // Before each of them it takes another look.
  const at = others.findIndex((other) => remove(work, other, because, false).kind === "postponed");
  return at < 0 ? outcome : { kind: "done", spared: others.length - at };
}

function remove(work: WorkInWorld, { id, name }: MemberId, because: Removal, isLate: boolean): ActionOutcome {
  const etcd = work.members();
  const entry = etcd.members.find((member) => member.id === id);
  if (!entry) return DONE;
  const isSpared = {
    surplus: () => etcd.members.length <= work.seen.cluster.spec.size,
    "never-started": () => entry.name !== "",
    dead: () => work.isHealthy(entry),
    "stuck-learner": () => !entry.isLearner || !isWhereItWas(work, entry),
  }[because];
  if (!isLate && isSpared()) return postponed("the reason does not hold any more");
  if (!isLate && !keepsQuorumWithout(work.voters(etcd), name)) return postponed("the rest would be no majority");
  markLeaving(work, entry, name);
  return work.change(() => removeMember(work.world, etcd, id));
}

/** Whether a member answers, and has got no further in the log since it was seen. */
function isWhereItWas(work: WorkInWorld, member: Member): boolean {
  const [seen, pod] = [work.seen.pods.find(({ name }) => name === member.host), work.world.pods.get(member.host)];
  const log = pod && work.isHealthy(member) ? runningLog(work.world, pod) : undefined;
  return log !== undefined && log.index === seen?.answer.status?.log?.index;
}

function markLeaving(work: WorkInWorld, { id, isLearner }: Member, name: string): void {
  const claim = work.world.claims.get(name);
  if (claim?.memberId === id && !isLearner) work.write(() => Object.assign(claim, { isLeaving: true }));
}

function deletePods(work: WorkInWorld, { pods }: StepOf<"delete-pods">): ActionOutcome {
  const { world, seen } = work;
  const running = pods.flatMap(({ name, uid }): Belonging[] => {
    const pod = seen.pods.find((each) => each.uid === uid);
    if (!pod) return [{ name, memberId: undefined, incarnation: undefined }];
    const isUntouched = !pod.isScheduled || (pod.stage === "pending" && (pod.memberId === undefined || pod.usesClaim));
    return pod.stage === "ended" || pod.refusal !== undefined || isUntouched ? [] : [pod];
  });
  if (running.length > 0 && work.isStillNeeded(running)) return postponed("its member is in the list");
  return work.each(pods, (id) => work.onPod(id, (pod) => deletePod(world, pod)));
}

function deleteClaims(work: WorkInWorld, { claims }: StepOf<"delete-claims">): ActionOutcome {
  const { world } = work;
  const there = claims.flatMap(({ name }) => world.claims.get(name) ?? []);
  if (there.some(({ name }) => world.pods.has(name))) return postponed("a pod uses it");
  if (there.length > 0 && work.isStillNeeded(there)) return postponed("its member is in the list");
  return work.each(claims, (id) => work.onClaim(id, ({ name }) => deleteClaim(world, name)));
}
