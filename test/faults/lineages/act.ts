import type { Random } from "../../model/random.ts";
import type { Inheritance } from "./inheritance.ts";
import type { Scene } from "./scene.ts";

export const ACT_NAMES = [
  "delete",
  "orphan",
  "restore",
  "roll-back",
  "recover",
  "recover-from-backup",
  "backup",
  "scale",
] as const;

export type ActName = (typeof ACT_NAMES)[number];

/** What an act is about. */
export interface Stake {
  readonly scene: Scene;
  readonly inheritance: Inheritance;
  readonly random: Random;
}

/**
 * Something that a user does, or that befalls a cluster; when it resolves, all is healthy again. The answer is what was
 * not as it should be.
 */
export type Act = (stake: Stake) => Promise<readonly string[]>;
