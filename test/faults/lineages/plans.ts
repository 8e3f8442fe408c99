import { randomOf } from "../../model/random.ts";
import { writtenAfterSaving } from "./late-writes.ts";
import { backedUpWithLowerRevisions } from "./lower-revisions.ts";
import { rolledBackWhileJoining } from "./midway.ts";
import { playPair } from "./pair.ts";
import { actsOf, playSequence, RECOVERING } from "./sequence.ts";
import { TABLE } from "./table.ts";
import { type Played, withScene } from "./with-scene.ts";

/** What a plan of this suite does. */
export interface Tale {
  readonly name: string;
  /** The row of the table of results. */
  readonly row: string;
  play(seed: number): Promise<Played>;
}

const SEQUENCES = 42;

/** Every pair of accidents, and sequences of acts that the seed draws. */
export function talesOf(seed: number): readonly Tale[] {
  const sequences = Array.from({ length: SEQUENCES }, (_, at) => sequence(seed, at + 1));
  return [...pairs, ...midway, ...sequences, ...beyondBackups];
}

const pairs: readonly Tale[] = TABLE.map((cell) => ({
  name: `${cell.first}/${cell.second}`,
  row: cell.first,
  play: (seed) =>
    withScene(
      seed,
      (scene) => scene.prepare(),
      (scene) => playPair(cell, scene),
    ),
}));

/** Accidents at one moment of a restore. */
const midway: readonly Tale[] = [
  {
    name: "midway/rolled-back-while-joining",
    row: "midway",
    play: (seed) => withScene(seed, (scene) => scene.prepare(), rolledBackWhileJoining),
  },
];

/** What is written when a backup has been taken, and which backup counts as newest then. */
const beyondBackups: readonly Tale[] = [
  {
    name: "beyond-backups/written-after-saving",
    row: "beyond backups",
    play: (seed) => withScene(seed, (scene) => scene.prepare(), writtenAfterSaving),
  },
  {
    name: "beyond-backups/lower-revisions",
    row: "beyond backups",
    play: (seed) => withScene(seed, (scene) => scene.prepare(), backedUpWithLowerRevisions),
  },
];

function sequence(drawnFrom: number, number: number): Tale {
  const acts = actsOf(drawnFrom, number);
  return {
    name: `sequence-${number}/${acts.join("-")}`,
    row: "sequences",
    play: (seed) =>
      withScene(
        seed + number,
        (scene) => scene.prepare(RECOVERING),
        (scene) => playSequence(acts, scene, randomOf(seed * 1_000 + number)),
      ),
  };
}
