import { mkdir, open, readdir, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { runCommandOrThrow } from "@etcd-operator/testing/process/run-command.ts";
import { wipe } from "@etcd-operator/testing/scenario/faults/member-faults.ts";

/** What can become of the files of a member. Places are parts of what is used, from 0 to 1. */
export type Damage =
  /** As empty as a new volume. */
  | { readonly kind: "wiped" }
  /** The folder `member` is gone, what lies beside it is not. */
  | { readonly kind: "member-gone" }
  | { readonly kind: "log-gone" }
  | { readonly kind: "database-gone" }
  | { readonly kind: "log-cut"; readonly at: number }
  | { readonly kind: "log-zeroed"; readonly from: number }
  | { readonly kind: "database-cut"; readonly at: number }
  | { readonly kind: "database-zeroed"; readonly from: number }
  /** Every file is there, and has nothing in it. */
  | { readonly kind: "emptied" };

/** Damages what is on a volume. */
export async function damageVolume(volume: string, damage: Damage): Promise<void> {
  const member = join(volume, "data", "member");
  switch (damage.kind) {
    case "wiped":
      return wipe(volume);
    case "member-gone":
      return rm(member, { recursive: true });
    case "log-gone":
      return rm(join(member, "wal"), { recursive: true });
    case "database-gone":
      return rm(join(member, "snap", "db"));
    case "log-cut":
      return cut(await lastSegment(member), damage.at);
    case "log-zeroed":
      return zero(await lastSegment(member), damage.from);
    case "database-cut":
      return cut(join(member, "snap", "db"), damage.at);
    case "database-zeroed":
      return zero(join(member, "snap", "db"), damage.from);
    case "emptied":
      for (const file of await filesOf(member)) await truncate(file, 0);
  }
}

/** Copies a volume to another folder, and replaces what that folder has. */
export async function copyVolume(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await wipe(to);
  // Logs are mostly space that was reserved; owners stay the same.
  await runCommandOrThrow("cp", ["-a", "--sparse=always", "--reflink=auto", `${from}/.`, to]);
}

/**
 * As if the copying had ended early: complete files up to some place, then a part of one, and nothing of those that
 * follow.
 */
export async function cutCopyShort(folder: string, part: number): Promise<void> {
  const files = await filesOf(folder);
  const place = Math.min(part, 1) * files.length;
  const whole = Math.floor(place);
  for (const file of files.slice(whole + 1)) await rm(file);
  const last = files[whole];
  if (last) await cut(last, place - whole);
}

/** The files below a folder, in the order in which a copying program comes by them. */
export async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

async function lastSegment(member: string): Promise<string> {
  const folder = join(member, "wal");
  const segment = (await readdir(folder))
    .filter((name) => name.endsWith(".wal"))
    .sort()
    .at(-1);
  if (!segment) throw new Error(`there is no log in ${folder}`);
  return join(folder, segment);
}

async function cut(file: string, at: number): Promise<void> {
  await truncate(file, Math.floor((await usedBytes(file)) * at));
}

async function zero(file: string, from: number): Promise<void> {
  const used = await usedBytes(file);
  const start = Math.floor(used * from);
  const handle = await open(file, "r+");
  try {
    await handle.write(Buffer.alloc(used - start), 0, used - start, start);
  } finally {
    await handle.close();
  }
}

const CHUNK_BYTES = 1024 * 1024;

/** Without the zeros at the end: etcd reserves space for its log in advance. */
async function usedBytes(file: string): Promise<number> {
  const handle = await open(file, "r");
  try {
    const buffer = Buffer.alloc(CHUNK_BYTES);
    for (let end = (await stat(file)).size; end > 0; ) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, end - start, start);
      const last = buffer.subarray(0, bytesRead).findLastIndex((byte) => byte !== 0);
      if (last >= 0) return start + last + 1;
      end = start;
    }
    return 0;
  } finally {
    await handle.close();
  }
}
