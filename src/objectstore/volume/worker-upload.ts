import { randomBytes } from "node:crypto";
import type { CallOptions } from "../object-store.ts";
import type { Part } from "../part-reader.ts";
import type { WorkerClient } from "./worker-client.ts";

export interface UploadOptions extends CallOptions {
  readonly operation: string;
  /** What the worker has to know to make something of the file. */
  readonly finish: Readonly<Record<string, string>>;
}

/** A file on its way to a worker. */
export class WorkerUpload<Made> {
  // Chosen here, so that it can be taken back also when no answer ever came.
  readonly id = randomBytes(16).toString("hex");
  readonly #client: WorkerClient;
  readonly #options: UploadOptions;

  constructor(client: WorkerClient, options: UploadOptions) {
    this.#client = client;
    this.#options = options;
  }

  async block({ offset, bytes }: Part): Promise<void> {
    await this.#ask("PUT", { offset }, this.#options.signal, bytes);
  }

  async finish(sizeBytes: number): Promise<Made> {
    const { signal, finish } = this.#options;
    return (await this.#ask<{ made: Made }>("POST", { size: sizeBytes, ...finish }, signal)).made;
  }

  /** All of a small file at once. */
  async finishWith(body: Buffer): Promise<Made> {
    const { signal, finish } = this.#options;
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
    const { operation } = this.#options;
    const call = { operation, method, path: "/upload", query: { id: this.id, ...query }, ...(body && { body }) };
    return this.#client.ask<Answer>(call, signal);
  }
}
