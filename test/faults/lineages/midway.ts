import { majorityLost } from "./accidents/disks.ts";
import { operatorRolledBack } from "./accidents/operator.ts";
import { Inheritance } from "./inheritance.ts";
import { inShort } from "./ledger.ts";
import { lineageOf } from "./lineage.ts";
import type { Scene } from "./scene.ts";

const UNATTENDED_MS = 90_000;

/**
 * Of a lost majority one member is left that the operator cannot reach, with writes that are nowhere else. A backup
 * takes its place, and while the others join, the operator is rolled back: what is set aside must not be forgotten with
 * the word that this release does not know.
 */
export async function rolledBackWhileJoining(scene: Scene): Promise<readonly string[]> {
  const { stage, machine } = scene;
  const survivor = stage.memberPods.at(-1)?.metadata.name ?? "";
  await majorityLost.happen(scene);
  machine.etcd.hide(survivor);
  await stage.time.pass(UNATTENDED_MS);
  const name = await scene.applyRestore();
  const status = () => scene.restoreNamed(name)?.status;
  const isJoining = () => stage.cluster?.status?.restore?.state === "Joining";
  await scene.until(isJoining, "the first restored member", () => status()?.reason);
  const inheritance = new Inheritance(scene.ledger, lineageOf(scene).clusterId ?? "");
  await operatorRolledBack.happen(scene);
  await stage.time.pass(UNATTENDED_MS);
  await operatorRolledBack.end?.(scene);
  await scene.until(
    () => status()?.succeeded === true && stage.unsettled().length === 0,
    `the end of EtcdRestore ${name}`,
    () => status()?.reason,
  );
  await stage.time.pass(UNATTENDED_MS);
  const { clusterId, keys } = lineageOf(scene);
  const lost = inheritance.lostFrom(keys);
  const isKept = stage.objects.named("persistentvolumeclaims").some(({ metadata }) => metadata.name === survivor);
  return [
    ...(scene.met.includes("operator-rolled-back") ? [] : ["never happened: operator-rolled-back"]),
    ...(clusterId === inheritance.clusterId ? [] : [`the restored cluster has become ${clusterId}`]),
    ...(lost.length > 0 ? [`acknowledged writes are gone: ${inShort(lost)}`] : []),
    ...(isKept ? [] : [`claim ${survivor} is gone, though what is on it could not be saved`]),
  ];
}
