import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type LockOptions, withFileLock } from "./file-lock.ts";

/** Where a fill works: it leaves in `result` what is to be kept; `scratch` is thrown away. */
export interface WorkFolders {
  readonly scratch: string;
  readonly result: string;
}

export interface FillOptions extends LockOptions {
  readonly isComplete: (folder: string) => Promise<boolean>;
  readonly fill: (work: WorkFolders) => Promise<void>;
}

/**
 * Sees to it that the folder is complete, doing the work once even when many processes ask at the same time.
 * The folder appears by a rename, so whoever sees it sees all of it.
 */
export async function fillOnce(folder: string, { isComplete, fill, ...lockOptions }: FillOptions): Promise<void> {
  if (await isComplete(folder)) return;
  const parent = dirname(folder);
  await mkdir(parent, { recursive: true });
  await withFileLock(join(parent, `.${basename(folder)}.lock`), lockOptions, async () => {
    if (await isComplete(folder)) return;
    const partial = `.${basename(folder)}.partial-`;
    await removeLeftovers(parent, partial);
    const work = await mkdtemp(join(parent, partial));
    try {
      await fillAndRename(work, folder, fill);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
  });
}

// We hold the lock, so nobody is at work on these: the runs that made them are dead.
async function removeLeftovers(parent: string, prefix: string): Promise<void> {
  const leftovers = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  await Promise.all(leftovers.map((name) => rm(join(parent, name), { recursive: true, force: true })));
}

async function fillAndRename(work: string, folder: string, fill: FillOptions["fill"]): Promise<void> {
  const folders: WorkFolders = { scratch: join(work, "scratch"), result: join(work, "result") };
  await mkdir(folders.scratch);
  await mkdir(folders.result);
  await fill(folders);
  // Only an incomplete folder can be in the way, and a rename does not replace one that holds files.
  await rm(folder, { recursive: true, force: true });
  await rename(folders.result, folder);
}
