import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Makes sure that there is no data directory when the restore tool is about to create one. A node that crashed during
 * the restore leaves half of one behind, on which the tool would fail for ever; that half is deleted. Other data is
 * kept, and is an error.
 */
export function makeWay(dataDir: string, podUid: string): void {
  // Beside the data and not in it, and deleted together with it. It says that the data next to it was restored in this
  // pod.
  const marker = join(dirname(dataDir), "restoring-pod-uid");
  const isOurs = podUid !== "" && existsSync(marker) && readFileSync(marker, "utf8") === podUid;
  if (!isOurs && existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new Error(
      `${dataDir} holds data that was not restored in this pod and is kept: give the member an empty volume`,
    );
  }
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dirname(marker), { recursive: true });
  writeFileSync(marker, podUid, { flush: true });
}
