import { randomBytes } from "node:crypto";
import type { PutOptions } from "../object-store.ts";
import { ObjectStoreError } from "../object-store-error.ts";
import { type Part, PartReader } from "../part-reader.ts";
import type { WorkerClient } from "./worker-client.ts";

export interface Sending extends PutOptions {
  readonly operation: string;
  /** What the worker has to know to make something of the file. */
  readonly finish: Readonly<Record<string, string>>;
}

const BLOCK_BYTES = 4 << 20;
/** More than one, so that the worker does not wait for the next while it answers. */
const MOST_UNDER_WAY = 2;

/**
 * Sends what a source yields, block by block, so that a broken connection costs one block, and returns what the worker made of it. While
 * blocks are on their way the next is filled: memory is that of three.
 */
export async function sendBlocks<Made>(
  client: WorkerClient,
  source: AsyncIterable<Uint8Array>,
  sending: Sending,
): Promise<Made> {
  const { partBytes = BLOCK_BYTES } = client.tuning;
  const reader = new PartReader(source, { ...sending, partBytes: () => partBytes });
  const upload = new Upload<Made>(client, sending);
  try {
    const first = await reader.next();
    if (!first || first.isLast) return await upload.finishWith(first?.bytes ?? Buffer.alloc(0));
    return await upload.finish(await sendAll(upload, first, reader));
  } catch (error) {
    await reader.close();
    const made = await upload.takeBack();
    // It was called off too late.
    if (made && error instanceof ObjectStoreError && error.code === "aborted") return made;
    throw error;
  }
}

/** Returns how many bytes it were. */
async function sendAll(upload: Upload<unknown>, first: Part, reader: PartReader): Promise<number> {
  const send = async (part: Part) => {
    await upload.block(part);
    reader.release(part);
  };
  // It begins the upload, and has to be there before the others.
  await send(first);
  const underWay: Promise<unknown>[] = [];
  let sizeBytes = first.bytes.length;
  for (let part = await reader.next(); part; part = await nextOf(reader, underWay)) {
    if (underWay.length === MOST_UNDER_WAY) await underWay.shift();
    underWay.push(send(part));
    sizeBytes = part.offset + part.bytes.length;
  }
  await Promise.all(underWay);
  return sizeBytes;
}

/** The next part, unless one before it failed meanwhile: a source may take for ever. */
async function nextOf(reader: PartReader, underWay: readonly Promise<unknown>[]): Promise<Part | undefined> {
  const never = new Promise<never>(() => undefined);
  return Promise.race([reader.next(), ...underWay.map((block) => block.then(() => never))]);
}

/** A file on its way to a worker. */
class Upload<Made> {
  // Chosen here, so that it can be taken back also when no answer ever came.
  readonly #id = randomBytes(16).toString("hex");
  readonly #client: WorkerClient;
  readonly #sending: Sending;

  constructor(client: WorkerClient, sending: Sending) {
    this.#client = client;
    this.#sending = sending;
  }

  async block({ offset, bytes }: Part): Promise<void> {
    await this.#ask("PUT", { offset }, this.#sending.signal, bytes);
  }

  async finish(sizeBytes: number): Promise<Made> {
    const { signal, finish } = this.#sending;
    return (await this.#ask<{ made: Made }>("POST", { size: sizeBytes, ...finish }, signal)).made;
  }

  /** All of a small file at once. */
  async finishWith(body: Buffer): Promise<Made> {
    const { signal, finish } = this.#sending;
    const query = { size: body.length, whole: "yes", ...finish };
    return (await this.#ask<{ made: Made }>("POST", query, signal, body)).made;
  }

  /** A worker that does not answer removes it by itself, later. When this comes too late, what was made of it. */
  async takeBack(): Promise<Made | undefined> {
    return this.#ask<{ made?: Made }>("DELETE", {}, undefined).then(
      ({ made }) => made,
      () => undefined,
    );
  }

  #ask<Answer>(
    method: "PUT" | "POST" | "DELETE",
    query: Readonly<Record<string, string | number>>,
    signal: AbortSignal | undefined,
    body?: Buffer,
  ): Promise<Answer> {
    const { operation } = this.#sending;
    const call = { operation, method, path: "/upload", query: { id: this.#id, ...query }, ...(body && { body }) };
    return this.#client.ask<Answer>(call, signal);
  }
}
