import { constants, type Dirent, type Stats } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, realpath, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { StoredObject } from "../object-store.ts";
import { fileOfKey, keyOfFile, UPLOADS_FOLDER } from "./file-of-key.ts";
import { WorkerError } from "./worker-error.ts";

export interface OpenObject {
  readonly object: StoredObject;
  /** Another one when the object is replaced. */
  readonly etag: string;
  readonly handle: FileHandle;
}

export interface ObjectPage {
  readonly objects: readonly StoredObject[];
  /** Where the next page begins; absent on the last. */
  readonly next?: string;
}

// Never waits for a writer to a pipe.
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A folder whose files are objects. */
export class Directory {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Where files are gathered before they become objects. */
  get uploadsFolder(): string {
    return join(this.#root, UPLOADS_FOLDER);
  }

  /** Undefined when there is no such object. */
  async stat(key: string): Promise<StoredObject | undefined> {
    const file = await this.#fileOf(key);
    const found = await lstat(file).catch(unlessMissing);
    return found?.isFile() ? storedObject(key, found) : undefined;
  }

  async open(key: string): Promise<OpenObject> {
    const file = await this.#fileOf(key);
    const handle = await open(file, READ_ONLY).catch(unlessMissing);
    const found = await handle?.stat();
    if (handle && found?.isFile()) return { object: storedObject(key, found), etag: etagOf(found), handle };
    await handle?.close();
    throw new WorkerError("not-found", "there is no such file");
  }

  async delete(key: string): Promise<void> {
    if (!(await this.stat(key))) return;
    await unlink(await this.#fileOf(key)).catch(unlessMissing);
  }

  /** Moves a file that is safe on the disk to the place of a key, in one step. */
  async publish(file: string, key: string): Promise<StoredObject> {
    const target = await this.#fileOf(key);
    const made = await mkdir(dirname(target), { recursive: true });
    // Before it is there for others, who may delete it.
    const published = storedObject(key, await lstat(file));
    await rename(file, target);
    await syncFolders(dirname(target), made === undefined ? dirname(target) : dirname(made));
    return published;
  }

  /** Objects whose keys begin with `prefix`, in the order of their files. */
  async list(prefix: string, after: string, limit: number): Promise<ObjectPage> {
    const objects: StoredObject[] = [];
    let last = "";
    for await (const file of this.#files("", prefix, after)) {
      if (objects.length === limit) return { objects, next: last };
      const key = keyOfFile(file);
      const found = key?.startsWith(prefix) && (await lstat(join(this.#root, file)).catch(unlessMissing));
      if (key === undefined || !found || !found.isFile()) continue;
      objects.push(storedObject(key, found));
      last = file;
    }
    return { objects };
  }

  async *#files(folder: string, prefix: string, after: string): AsyncGenerator<string> {
    for (const entry of await this.#entriesOf(folder)) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isFolder = entry.isDirectory();
      // In this order a folder comes where its name and a slash would.
      if (isFolder ? `${path}/` < after && !after.startsWith(`${path}/`) : path <= after) continue;
      if (!isFolder && entry.isFile()) yield path;
      else if (isFolder && mayHold(path, prefix)) yield* this.#files(path, prefix, after);
    }
  }

  async #entriesOf(folder: string): Promise<Dirent[]> {
    const entries = await readdir(join(this.#root, folder), { withFileTypes: true }).catch(unlessMissing);
    const isHidden = (name: string) => folder === "" && (name === UPLOADS_FOLDER || name === "lost+found");
    const placeOf = (entry: Dirent) => (entry.isDirectory() ? `${entry.name}/` : entry.name);
    return (entries ?? []).filter(({ name }) => !isHidden(name)).sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  }

  /** The path of a key's file, which is inside the volume whatever the key is and whatever links there are. */
  async #fileOf(key: string): Promise<string> {
    const file = fileOfKey(key);
    if (file === undefined) throw new WorkerError("invalid", "no file can have this name: choose another path");
    const path = join(this.#root, file);
    const [root, folder] = [await realpath(this.#root), await nearestFolder(dirname(path))];
    if (folder === root || folder.startsWith(`${root}/`)) return path;
    throw new WorkerError("invalid", "the path leads out of the volume over a symbolic link: choose another path");
  }
}

/** Where a folder really is, or the lowest above it that is there. */
async function nearestFolder(folder: string): Promise<string> {
  return (await realpath(folder).catch(unlessMissing)) ?? nearestFolder(dirname(folder));
}

/** Whether a folder can hold files whose keys begin with `prefix`; only ordinary names can tell. */
function mayHold(folder: string, prefix: string): boolean {
  const inside = `${folder}/`;
  return folder.includes("%") || prefix.includes("%") || inside.startsWith(prefix) || prefix.startsWith(inside);
}

function storedObject(key: string, { size, mtimeMs }: Stats): StoredObject {
  return { key, sizeBytes: size, modifiedAtMs: Math.floor(mtimeMs) };
}

function etagOf({ size, mtimeMs, ino }: Stats): string {
  return `"${size}-${mtimeMs}-${ino}"`;
}

/** A rename, and every folder that was made for it, is on the disk when the folder above it is. */
async function syncFolders(lowest: string, highest: string): Promise<void> {
  for (let folder = lowest; ; folder = dirname(folder)) {
    const handle = await open(folder, constants.O_RDONLY);
    // Some network file systems know no such thing, and need none.
    await handle.sync().catch(() => undefined);
    await handle.close();
    if (folder === highest || folder === dirname(folder)) return;
  }
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}
