import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Sees to it that there is no data directory when the tool is going to make one. A node that went down while the tool was at work leaves half of
 * one behind, on which the tool would fail for ever; that half goes. Data of anybody else stays, and is an error.
 */
export function makeWay(dataDir: string, podUid: string): void {
  // Beside the data and not in it, and gone together with it. It says: what comes to lie here was restored in this pod.
  const marker = join(dirname(dataDir), "restoring-pod-uid");
  const isOurs = podUid !== "" && existsSync(marker) && readFileSync(marker, "utf8") === podUid;
  if (!isOurs && existsSync(dataDir) && readdirSync(dataDir).length > 0) {
    throw new Error(
      `${dataDir} holds data that was not restored in this pod, and stays as it is: give the member an empty volume`,
    );
  }
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dirname(marker), { recursive: true });
  writeFileSync(marker, podUid, { flush: true });
}
