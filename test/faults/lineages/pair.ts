import { CLUSTER } from "../workloads/stage.ts";
import type { Accident, AccidentId } from "./accident.ts";
import { restoreWithdrawn, storeAway } from "./accidents/backups.ts";
import { claimDeleted, majorityLost } from "./accidents/disks.ts";
import { clusterDeleted, crdDeleted, orphaned } from "./accidents/objects.ts";
import { clockStepped, operatorRolledBack } from "./accidents/operator.ts";
import { restoredByHand } from "./human.ts";
import { Inheritance } from "./inheritance.ts";
import { inShort } from "./ledger.ts";
import { lineageOf } from "./lineage.ts";
import { OUTCOMES, type Outcome } from "./outcome.ts";
import type { Scene } from "./scene.ts";
import type { Cell } from "./table.ts";
import { isAvailable } from "./truth.ts";

/** While the first accident is still being dealt with. */
const BETWEEN_MS = 5_000;
/** Longer than a member may be gone before another takes its place. */
const UNATTENDED_MS = 90_000;
/** What a client notices of an election, or of a member that restarts or is replaced. */
const BRIEF_MS = 30_000;

/** Two accidents one right after the other, what a person does then, and the outcome. */
export async function playPair({ first, second, outcome: id }: Cell, scene: Scene): Promise<readonly string[]> {
  const [outcome, { stage, ledger }] = [OUTCOMES[id], scene];
  const before = lineageOf(scene).clusterId ?? "";
  const inheritance = new Inheritance(ledger, before);
  const [beganMs, names] = [stage.time.elapsedMs, namesOf(scene)];
  for (const accident of [first, second]) {
    await ACCIDENTS[accident].happen(scene);
    await stage.time.pass(BETWEEN_MS);
  }
  await stage.time.pass(UNATTENDED_MS);
  for (const accident of new Set([first, second])) await ACCIDENTS[accident].end?.(scene);
  const failures = outcome.restore ? await restored(scene, inheritance, outcome) : [];
  await scene.until(() => stage.unsettled().length === 0, "the end of all that the two led to");
  await stage.time.pass(UNATTENDED_MS);
  const { clusterId, keys } = lineageOf(scene);
  const gapMs = ledger.longestGapMs(beganMs, stage.time.elapsedMs);
  const lost = inheritance.lostFrom(keys);
  return [
    ...failures,
    ...[first, second].filter((each) => !scene.met.includes(each)).map((each) => `never happened: ${each}`),
    ...(outcome.isSame && clusterId !== before ? [`etcd cluster ${before} has become ${clusterId}`] : []),
    ...(outcome.isSame && !MEMBER_GOES.some((each) => each === first || each === second)
      ? changesOf(names, namesOf(scene))
      : []),
    ...(id === "serves" && gapMs > BRIEF_MS ? [`no client could write for ${gapMs / 1000} s`] : []),
    ...(lost.length > 0 ? [`acknowledged writes are gone: ${inShort(lost)}`] : []),
  ];
}

/** Accidents in which one member cannot stay. */
const MEMBER_GOES: readonly AccidentId[] = ["claim-deleted"];

function namesOf({ machine }: Scene): readonly string[] {
  return machine.membersOf(CLUSTER).map(({ name }) => name);
}

function changesOf(before: readonly string[], now: readonly string[]): readonly string[] {
  return before.filter((name) => !now.includes(name)).map((name) => `${name} was removed, though it could have stayed`);
}

/** The operator has done what it can, and reports so; from there a person continues. */
async function restored(
  scene: Scene,
  inheritance: Inheritance,
  { restore, deletesOrphans }: Outcome,
): Promise<readonly string[]> {
  await scene.stage.time.pass(UNATTENDED_MS);
  const { cluster } = scene.stage;
  const isLie = cluster !== undefined && isAvailable(cluster);
  if (deletesOrphans) await scene.deleteOrphans();
  const key = scene.newestBackup ?? "";
  const inherited = restore === "backup" ? upTo(scene, key) : inheritance.owed;
  const failures = await restoredByHand(scene, { preferNewerSurvivor: restore === "newer survivor", key });
  const { clusterId = "" } = lineageOf(scene);
  const isSame = clusterId === inheritance.clusterId;
  inheritance.passTo(clusterId, inherited);
  return [
    ...(isLie ? ["Available is True, though a majority is lost"] : []),
    ...failures,
    ...(isSame ? ["the restored cluster is the one that was there before"] : []),
  ];
}

/** What is in a backup, and what has to be: all that its cluster had acknowledged up to its revision. */
function upTo(scene: Scene, key: string): ReadonlySet<string> {
  const { snapshot, clusterId } = scene.storedBackup(key);
  const held = scene.ledger.writes.filter(
    (write) =>
      snapshot?.keys.has(write.key) || (write.clusterId === clusterId && write.revision <= (snapshot?.revision ?? 0n)),
  );
  return new Set(held.map((write) => write.key));
}

const ACCIDENTS: Readonly<Record<AccidentId, Accident>> = {
  "cluster-deleted": clusterDeleted,
  orphaned,
  "crd-deleted": crdDeleted,
  "operator-rolled-back": operatorRolledBack,
  "restore-withdrawn": restoreWithdrawn,
  "majority-lost": majorityLost,
  "store-away": storeAway,
  "clock-stepped": clockStepped,
  "claim-deleted": claimDeleted,
};
