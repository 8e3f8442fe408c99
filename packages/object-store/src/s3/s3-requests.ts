import type { S3Client } from "@aws-sdk/client-s3";
import { attempted, calledOff } from "../attempts.ts";
import { IDLE_TIMEOUT_MS } from "../guarded-call.ts";
import { onAbort } from "../on-abort.ts";
import { type Redact, redactor } from "../redacted.ts";
import type { StoreTuning } from "../store-settings.ts";
import { type S3Connection, s3Client } from "./s3-connection.ts";
import { s3Failure } from "./s3-error.ts";

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * How long a request that was called off may go on, because it matters how it ends; it is not repeated then. 0 when
   * absent.
   */
  readonly graceMs?: number;
  /** Whether the server may think before it answers: some copy all parts into one file. */
  readonly isSlow?: boolean;
}

/** A server that moves a byte now and then is never silent, so also a request whose end matters has one. */
const LONGEST_GRACE_MS = 300_000;

type Send<Answer> = (client: S3Client, options: { abortSignal: AbortSignal }) => Promise<Answer>;

// How much longer than others a slow request may take.
const PATIENCE = 10;

/** Sends requests to one server, each again as long as that may help. */
export class S3Requests {
  readonly bucket: string;
  readonly sendsChecksums: boolean;
  readonly #kind: string;
  readonly #redact: Redact;
  readonly #tuning: StoreTuning;
  readonly #client: S3Client;
  readonly #patientClient: S3Client;

  constructor(connection: S3Connection, tuning: StoreTuning) {
    const { idleTimeoutMs = IDLE_TIMEOUT_MS } = tuning;
    this.bucket = connection.bucket;
    this.sendsChecksums = connection.sendsChecksums;
    this.#kind = connection.kind;
    this.#redact = redactorFor(connection);
    this.#tuning = tuning;
    this.#client = s3Client(connection, idleTimeoutMs);
    this.#patientClient = s3Client(connection, idleTimeoutMs * PATIENCE);
  }

  /** As in "put s3 'bucket/key'". */
  operation(verb: string, key: string): string {
    return `${verb} ${this.#kind} '${this.bucket}/${key}'`;
  }

  async send<Answer>(operation: string, send: Send<Answer>, options: RequestOptions = {}): Promise<Answer> {
    return await attempted(() => this.sendOnce(operation, send, options), this.#tuning, options.signal);
  }

  /** Throws ObjectStoreErrors only. */
  async sendOnce<Answer>(operation: string, send: Send<Answer>, options: RequestOptions): Promise<Answer> {
    const { signal, graceMs = 0, isSlow = false } = options;
    if (signal?.aborted) throw calledOff(operation);
    const { longestGraceMs = LONGEST_GRACE_MS } = this.#tuning;
    // What no signal cancels, such as cleaning up after a failure, has no more than that either.
    const { late, forget } = signal
      ? delayed(signal, Math.min(graceMs, longestGraceMs))
      : delayed(AbortSignal.abort(), longestGraceMs);
    try {
      return await send(isSlow ? this.#patientClient : this.#client, { abortSignal: late });
    } catch (error) {
      throw signal?.aborted ? calledOff(operation) : s3Failure(operation, error, this.#redact);
    } finally {
      forget();
    }
  }

  close(): void {
    this.#client.destroy();
    this.#patientClient.destroy();
  }
}

function redactorFor({ keys, role }: S3Connection): Redact {
  return redactor([keys?.accessKeyId, keys?.secretAccessKey, keys?.sessionToken, role?.externalId]);
}

/** A signal that follows another one so much later. */
function delayed(signal: AbortSignal, delayMs: number): { late: AbortSignal; forget: () => void } {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const unlink = onAbort(signal, () => {
    if (delayMs === 0) controller.abort();
    else timer = setTimeout(() => controller.abort(), delayMs);
  });
  const forget = () => {
    unlink();
    clearTimeout(timer);
  };
  return { late: controller.signal, forget };
}
