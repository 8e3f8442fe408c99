import { randomBytes } from "node:crypto";
import { IDLE_TIMEOUT_MS } from "../guarded-call.ts";
import type { CallOptions } from "../object-store.ts";
import type { Part } from "../part-reader.ts";
import type { WorkerCall, WorkerClient } from "./worker-client.ts";

export interface UploadOptions extends CallOptions {
  readonly operation: string;
  /** What the worker has to know to make something of the file. */
  readonly finish: Readonly<Record<string, string>>;
}

const TAKE_BACK = { attempts: 2, idleTimeoutMs: 5_000 };

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

  /**
   * A worker that does not answer removes it by itself, later; so one that is gone is not waited for long. When this
   * comes too late, what was made of it.
   */
  async takeBack(): Promise<Made | undefined> {
    const { tuning } = this.#client;
    const idleTimeoutMs = Math.min(TAKE_BACK.idleTimeoutMs, tuning.idleTimeoutMs ?? IDLE_TIMEOUT_MS);
    return this.#client
      .ask<{ made?: Made }>(this.#call("DELETE", {}), undefined, { ...tuning, ...TAKE_BACK, idleTimeoutMs })
      .then(
        ({ made }) => made,
        () => undefined,
      );
  }

  #ask<Answer>(
    method: "PUT" | "POST",
    query: Readonly<Record<string, string | number>>,
    signal: AbortSignal | undefined,
    body?: Buffer,
  ): Promise<Answer> {
    return this.#client.ask<Answer>({ ...this.#call(method, query), ...(body && { body }) }, signal);
  }

  #call(method: WorkerCall["method"], query: Readonly<Record<string, string | number>>): WorkerCall {
    const { operation } = this.#options;
    return { operation, method, path: "/upload", query: { id: this.id, ...query } };
  }
}
