import { chmod, lchown, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Gives a folder and everything in it to a group that may write, and new files of it too. */
export async function giveToGroup(path: string, group: number, isOnlyOnMismatch: boolean): Promise<void> {
  const { gid, mode } = await lstat(path);
  if (isOnlyOnMismatch && gid === group && (mode & 0o2070) === 0o2070) return;
  await give(path, group);
}

async function give(path: string, group: number): Promise<void> {
  const found = await lstat(path);
  if (found.gid !== group) await lchown(path, found.uid, group);
  if (found.isSymbolicLink()) return;
  const wanted = (found.mode & 0o7777) | (found.isDirectory() ? 0o2770 : 0o660);
  if (wanted !== (found.mode & 0o7777)) await chmod(path, wanted);
  if (!found.isDirectory()) return;
  for (const name of await readdir(path)) await give(join(path, name), group);
}
