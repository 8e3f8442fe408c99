import { constants } from "node:fs";
import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { WorkerError, workerErrorOf } from "./worker-error.ts";
import { type Opened, writeGathered, writePastCache } from "./write-file.ts";

interface Upload {
  readonly file: string;
  readonly handle: Promise<FileHandle>;
  /** Set once it is being made an object, so that a repeated request gets the same answer. */
  finished?: Promise<unknown>;
  /** Why it was removed: late requests are refused with this. */
  canceled?: WorkerError;
}

/** What becomes of a file. */
export interface Finishing<Made> {
  /** Throws when it is not what it should be. May take its time: it can be called off until it is over. */
  verify?(file: string): Promise<void>;
  /** By renaming it. */
  make(file: string): Promise<Made>;
}

/** A live upload is never idle for so long. */
const ABANDONED_MS = 60 * 60 * 1000;
/** Over uploads: enough for every question that may still be asked again. */
const REMEMBERED = 200;

/**
 * Files that are on their way. Who sends chooses the id, so that it can take back what it got no answer for; each block
 * says where it belongs, so that it can be sent again.
 */
export class Uploads {
  readonly #folder: string;
  readonly #uploads = new Map<string, Upload>();

  /** @param folder on the file system of what the files will become; made when it is needed */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Writes one block; the first one begins the upload. */
  write(id: string, offset: number, block: AsyncIterable<Buffer>): Promise<void> {
    return this.#write(id, offset, ({ handle }) => writeGathered(handle, offset, block));
  }

  /** Writes all of it at once. @param pieces as `writePastCache` takes them */
  writeWhole(id: string, pieces: AsyncIterable<Buffer>): Promise<void> {
    return this.#write(id, 0, (opened) => writePastCache(opened, pieces));
  }

  async #write(id: string, offset: number, fill: (opened: Opened) => Promise<void>): Promise<void> {
    const upload = this.#uploads.get(id) ?? (offset === 0 ? this.#begin(id) : undefined);
    if (!upload || upload.finished || upload.canceled) throw upload?.canceled ?? gone(id);
    try {
      await fill({ file: upload.file, handle: await upload.handle });
    } catch (error) {
      const failure = workerErrorOf(error);
      // Room that was not enough is of no use to anybody. Blocks that come at the same time fail for the same reason.
      if (failure.code === "full") await this.cancel(id, failure);
      throw upload.canceled ?? failure;
    }
  }

  /** Makes an object of the file once it is whole and safe on the disk; once, however often it is asked for. */
  finish<Made>(id: string, sizeBytes: number, steps: Finishing<Made>): Promise<Made> {
    const upload = this.#uploads.get(id);
    if (!upload || upload.canceled) return Promise.reject(upload?.canceled ?? gone(id));
    upload.finished ??= this.#finish(upload, sizeBytes, steps);
    return upload.finished as Promise<Made>;
  }

  /** Whether it was asked to be finished, also repeatedly. */
  isFinished(id: string): boolean {
    return this.#uploads.get(id)?.finished !== undefined;
  }

  /** Removes what there is of it; when it comes too late, what was made of it. */
  async cancel(id: string, reason = gone(id)): Promise<unknown> {
    const upload = this.#uploads.get(id) ?? this.#refuse(id);
    upload.canceled ??= reason;
    this.#forgetOldest();
    if (upload.finished !== undefined) return upload.finished.catch(() => undefined);
    await discard(upload);
    return undefined;
  }

  async cancelAll(): Promise<void> {
    await Promise.all([...this.#uploads.keys()].map((id) => this.cancel(id)));
  }

  /** Removes what workers left behind that were killed; another one may be at work on the same volume. */
  async removeAbandoned(nowMs: number): Promise<void> {
    const files = await readdir(this.#folder).catch(() => []);
    for (const file of files.map((name) => join(this.#folder, name))) {
      const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: nowMs }));
      if (nowMs - mtimeMs > ABANDONED_MS) await rm(file, { force: true }).catch(() => undefined);
    }
  }

  #begin(id: string): Upload {
    const file = join(this.#folder, id);
    const flags = constants.O_CREAT | constants.O_TRUNC | constants.O_RDWR | constants.O_NOFOLLOW;
    const handle = mkdir(this.#folder, { recursive: true }).then(() => open(file, flags, 0o660));
    // Those that wait for it get the error.
    handle.catch(() => undefined);
    const upload = { file, handle };
    this.#uploads.set(id, upload);
    return upload;
  }

  /** A block that comes after the cancelation must not start it again. */
  #refuse(id: string): Upload {
    const upload: Upload = { file: join(this.#folder, id), handle: Promise.reject(gone(id)) };
    upload.handle.catch(() => undefined);
    this.#uploads.set(id, upload);
    return upload;
  }

  async #finish<Made>(upload: Upload, sizeBytes: number, { verify, make }: Finishing<Made>): Promise<Made> {
    try {
      const handle = await upload.handle;
      const { size } = await handle.stat();
      if (size !== sizeBytes) throw new WorkerError("corrupt", `${size} bytes have arrived, not ${sizeBytes}`);
      await handle.sync();
      await handle.close();
      await verify?.(upload.file);
      if (upload.canceled) throw upload.canceled;
      return await make(upload.file);
    } catch (error) {
      await discard(upload);
      throw error;
    }
  }

  #forgetOldest(): void {
    for (const [id, { finished, canceled }] of this.#uploads) {
      if (this.#uploads.size <= REMEMBERED) return;
      if (finished || canceled) this.#uploads.delete(id);
    }
  }
}

async function discard({ file, handle }: Upload): Promise<void> {
  const opened = await handle.catch(() => undefined);
  // Waits for the writes that are under way.
  await opened?.close().catch(() => undefined);
  await rm(file, { force: true });
}

/** Sending a block again would not help, beginning again does. */
function gone(id: string): WorkerError {
  return new WorkerError("unknown", `there is no upload '${id}' any more: begin again`);
}
