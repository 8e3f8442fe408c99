import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { resources } from "@etcd-operator/kubernetes-client";
import type { KubeletClient } from "./node-context.ts";
import { podsFolder } from "./pod-paths.ts";
import { toolAt } from "./sandbox/host-tools.ts";

/**
 * Removes the network card that a pod had under a former kubelet. Its processes died with that one; the kernel takes a
 * moment to clean up after them, in which a pod that returns could not get its card.
 */
export async function removeOldCard(name: string): Promise<void> {
  if (!existsSync(`/sys/class/net/${name}`)) return;
  // One that vanishes by itself meanwhile is just as good.
  await promisify(execFile)(toolAt("ip"), ["link", "del", name]).catch(() => undefined);
}

/**
 * Removes what was kept of pods that no longer exist. All nodes of this machine keep theirs in one folder, so what is
 * looked for are pods of any node; and first the folders, for a pod is there before its folder.
 */
export async function removeOldFolders(
  stateDir: string,
  client: Pick<KubeletClient, "list">,
  signal: AbortSignal,
): Promise<void> {
  const folder = podsFolder(stateDir);
  const uids = await readdir(folder).catch(() => []);
  if (uids.length === 0) return;
  const { items } = await client.list(resources.pods, { signal });
  const wanted = new Set(items.map(({ metadata }) => metadata.uid));
  const old = uids.filter((uid) => !wanted.has(uid));
  await Promise.all(old.map((uid) => rm(join(folder, uid), { recursive: true, force: true })));
}
