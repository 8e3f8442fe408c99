import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

export interface Opened {
  readonly file: string;
  readonly handle: FileHandle;
}

/** How much is gathered for one write to the disk, and may wait for it. */
export const WRITE_BYTES = 1 << 20;

/** Every disk and file system takes what is a multiple of this past the page cache, if it takes anything. */
const BLOCK_BYTES = 4096;

/** Gathers what arrives in small pieces, and receives the next while the last is being written. */
export async function writeGathered(handle: FileHandle, offset: number, block: AsyncIterable<Buffer>): Promise<void> {
  let [position, gathered, bytes] = [offset, [] as Buffer[], 0];
  let underWay: Promise<unknown> = Promise.resolve();
  const write = async () => {
    await underWay;
    underWay = writeWhole(handle, gathered, position);
    // Looked at below, or by the next write.
    underWay.catch(() => undefined);
    position += bytes;
    [gathered, bytes] = [[], 0];
  };
  for await (const chunk of block) {
    gathered.push(chunk);
    bytes += chunk.length;
    if (bytes >= WRITE_BYTES) await write();
  }
  await write();
  await underWay;
}

/**
 * Writes a file from its beginning on, past the page cache where the file system lets it: a backup is not read soon,
 * and gigabytes of it would push out what is, and cost as much as everything else on the way.
 * @param pieces each is written before the second after it is asked for; all but the last are as `alignedBuffers` gives
 * them
 */
export async function writePastCache({ file, handle }: Opened, pieces: AsyncIterable<Buffer>): Promise<void> {
  const direct = await open(file, constants.O_WRONLY | constants.O_DIRECT | constants.O_NOFOLLOW).catch(
    () => undefined,
  );
  const writer = new PastCache(handle, direct);
  let position = 0;
  let underWay: Promise<unknown> = Promise.resolve();
  try {
    for await (const piece of pieces) {
      await underWay;
      underWay = writer.write(piece, position);
      // Looked at below, or by the next round.
      underWay.catch(() => undefined);
      position += piece.length;
    }
    await underWay;
  } finally {
    await underWay.catch(() => undefined);
    await direct?.close();
  }
}

class PastCache {
  readonly #handle: FileHandle;
  #direct: FileHandle | undefined;

  constructor(handle: FileHandle, direct: FileHandle | undefined) {
    this.#handle = handle;
    this.#direct = direct;
  }

  async write(piece: Buffer, position: number): Promise<void> {
    const written = await this.#writeDirectly(piece, position);
    await writeWhole(this.#handle, [piece.subarray(written)], position + written);
  }

  /** Returns how much it could write. */
  async #writeDirectly(piece: Buffer, position: number): Promise<number> {
    if (!this.#direct || piece.length % BLOCK_BYTES !== 0) return 0;
    try {
      return (await this.#direct.write(piece, 0, piece.length, position)).bytesWritten;
    } catch (error) {
      // Some say only now that they cannot. Whatever else it is, the ordinary way meets it too.
      if ((error as NodeJS.ErrnoException).code === "EINVAL") this.#direct = undefined;
      return 0;
    }
  }
}

/** A volume that is nearly full takes a part of what it is given, and refuses the rest. */
async function writeWhole(handle: FileHandle, chunks: readonly Buffer[], position: number): Promise<void> {
  if (sizeOf(chunks) === 0) return;
  const { bytesWritten } = await handle.writev(chunks, position);
  const whole = Buffer.concat(bytesWritten === sizeOf(chunks) ? [] : chunks);
  for (let at = bytesWritten; at < whole.length; ) {
    at += (await handle.write(whole, at, whole.length - at, position + at)).bytesWritten;
  }
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
