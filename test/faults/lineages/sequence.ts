import { type Random, randomOf } from "../../model/random.ts";
import { ACT_NAMES, type ActName } from "./act.ts";
import { ACTS } from "./acts.ts";
import { Inheritance } from "./inheritance.ts";
import { inShort } from "./ledger.ts";
import { lineageOf } from "./lineage.ts";
import type { Scene } from "./scene.ts";

const LEAST = 3;
const MOST = 5;
const PAUSE_MS = { least: 5_000, spread: 60_000 };
/** As long as the operator takes to reconcile everything again. */
const AFTERWARDS_MS = 30_000;

/** With which sequences begin: a lost majority is restored without a person. */
export const RECOVERING = {
  recovery: { onQuorumLoss: "RestoreLatestBackup", backupName: "backup", graceSeconds: 30 },
};

/** The acts of the n-th sequence of a seed. */
export function actsOf(seed: number, number: number): readonly ActName[] {
  const random = randomOf(seed * 1_000 + number);
  const length = LEAST + random.int(MOST - LEAST + 1);
  // Each has its turn: the first act is the sequence's own.
  const first = ACT_NAMES[number % ACT_NAMES.length] ?? "delete";
  return [first, ...Array.from({ length: length - 1 }, () => random.pick(ACT_NAMES) ?? first)];
}

/**
 * One act after the other, each when all is healthy again; after each, the acknowledged data has to be there, and
 * nothing that was rolled back.
 */
export async function playSequence(acts: readonly ActName[], scene: Scene, random: Random): Promise<readonly string[]> {
  const { stage, ledger } = scene;
  const inheritance = new Inheritance(ledger, lineageOf(scene).clusterId ?? "");
  for (const [at, name] of acts.entries()) {
    await stage.time.pass(PAUSE_MS.least + random.int(PAUSE_MS.spread));
    const failures = await ACTS[name]({ scene, inheritance, random });
    await stage.time.pass(AFTERWARDS_MS);
    const found = [...failures, ...wrongWith(scene, inheritance)];
    if (found.length > 0) return found.map((what) => `after ${acts.slice(0, at + 1).join(", ")}: ${what}`);
  }
  return [];
}

function wrongWith(scene: Scene, inheritance: Inheritance): readonly string[] {
  const { keys } = lineageOf(scene);
  const [lost, resurrected] = [inheritance.lostFrom(keys), inheritance.resurrectedIn(keys)];
  return [
    ...(lost.length > 0 ? [`acknowledged writes are gone: ${inShort(lost)}`] : []),
    ...(resurrected.length > 0 ? [`writes that were rolled back are there again: ${inShort(resurrected)}`] : []),
    ...scene.stage.unsettled(),
  ];
}
