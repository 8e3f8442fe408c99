import { createHash } from "node:crypto";
import { resolve } from "node:path";

/** Six hex digits that follow from the state's folder, so that a new run finds what a killed one left behind. */
export function instanceOf(stateDir: string): string {
  return createHash("sha256").update(resolve(stateDir)).digest("hex").slice(0, 6);
}
