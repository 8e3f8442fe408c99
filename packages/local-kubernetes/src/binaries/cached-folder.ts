import { mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { BinariesError } from "./binaries-error.ts";
import { type LockOptions, withFileLock } from "./file-lock.ts";

/** Where a fill works: it leaves in `result` what is to be kept; `scratch` is thrown away. */
export interface WorkFolders {
  readonly scratch: string;
  readonly result: string;
}

export interface FillOptions extends LockOptions {
  /** For messages, such as "etcd 3.6.16". */
  readonly what: string;
  readonly env: NodeJS.ProcessEnv;
  readonly isComplete: (folder: string) => Promise<boolean>;
  readonly fill: (work: WorkFolders) => Promise<void>;
}

/**
 * Sees to it that the folder is complete, doing the work once even when many processes ask at the same time.
 * The folder appears by a rename, so it is never seen incomplete.
 */
export async function fillOnce(folder: string, options: FillOptions): Promise<void> {
  const { isComplete, fill, what, env, ...lockOptions } = options;
  if (await isComplete(folder)) return;
  refuseInTests(what, env);
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

/**
 * What a test waits for must not depend on a download or a compiler: ETCD_OPERATOR_FETCH=never is set while tests run.
 */
function refuseInTests(what: string, { ETCD_OPERATOR_FETCH }: NodeJS.ProcessEnv): void {
  if (ETCD_OPERATOR_FETCH !== "never") return;
  const message = `${what} is not in the cache, and ETCD_OPERATOR_FETCH=never forbids to fetch or build it now: run "make prepare"`;
  throw new BinariesError("not-prepared", `get ${what}`, message);
}

// We hold the lock, so no run works on these: the runs that made them are dead.
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
