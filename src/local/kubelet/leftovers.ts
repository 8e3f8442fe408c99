import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { vethPrefix } from "../network-names.ts";
import { podsFolder } from "./pod-paths.ts";
import { toolAt } from "./sandbox/host-tools.ts";

/**
 * Removes the network cards of pods of a former kubelet. Their processes died with it; the kernel takes a moment to
 * clean up after them, in which a pod that returns could not get its card.
 */
export async function removeOldCards(instance: string): Promise<void> {
  const cards = readdirSync("/sys/class/net").filter((name) => name.startsWith(vethPrefix(instance)));
  await Promise.all(
    // One that vanishes by itself meanwhile is just as good.
    cards.map((name) => promisify(execFile)(toolAt("ip"), ["link", "del", name]).catch(() => undefined)),
  );
}

/** Removes what was kept of pods that no longer exist. */
export async function removeOldFolders(stateDir: string, isWanted: (uid: string) => boolean): Promise<void> {
  const folder = podsFolder(stateDir);
  const uids = await readdir(folder).catch(() => []);
  const old = uids.filter((uid) => !isWanted(uid));
  await Promise.all(old.map((uid) => rm(join(folder, uid), { recursive: true, force: true })));
}
