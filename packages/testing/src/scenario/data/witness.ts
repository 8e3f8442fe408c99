import { setTimeout as pause } from "node:timers/promises";
import type { Endpoint } from "@etcd-operator/etcd-client";
import { connectEtcd, type EtcdClient, EtcdError, type EtcdErrorCode } from "@etcd-operator/etcd-client";
import { until } from "../../until.ts";
import { Ledger } from "./ledger.ts";
import { readAll } from "./read-all.ts";

export interface WitnessOptions {
  readonly name: string;
  /**
   * The address of the cluster for clients, of any member, and the certificate they show; asked for every connection.
   */
  readonly endpoint: () => Endpoint;
  readonly writers?: number;
  readonly readers?: number;
  /** How long each of them rests after a call. */
  readonly paceMs?: number;
}

/** One member, to be asked by itself. */
export interface MemberEndpoint extends Endpoint {
  readonly name: string;
}

export interface WitnessReport {
  readonly acknowledged: number;
  readonly refused: number;
  readonly unknown: number;
  readonly reads: number;
  readonly longestGapMs: number;
}

const TIMEOUT_MS = 2_000;
// A read of everything may take long, and is not one that a client makes.
const CHECK_TIMEOUT_MS = 20_000;
const AFTER_FAILURE_MS = 50;
const WINDOW = 400;

// Decided before anything is proposed to the others. Whatever else failed may have been applied.
const REFUSALS: readonly EtcdErrorCode[] = ["invalid", "too-large", "no-space", "auth", "not-for-learners"];

/** Whether a write that failed so did not happen, for sure. */
export function isRefusal(error: unknown): boolean {
  return error instanceof EtcdError && REFUSALS.includes(error.code);
}

/**
 * A client that writes and reads throughout a scenario, and remembers what it was promised. Each write has a key of its
 * own and is sent once: what a failure left open stays open until a read shows it.
 */
export class Witness {
  readonly name: string;
  readonly #endpoint: () => Endpoint;
  readonly #paceMs: number;
  readonly #ledger: Ledger;
  readonly #prefix: string;
  readonly #work: readonly Promise<void>[];
  #isOver = false;
  #clusterId: bigint | undefined;
  #reads = 0;
  #cursor = 0;
  #acknowledged = 0;
  #lastAcknowledgedMs: number | undefined;
  #longestGapMs = 0;
  #lastError: unknown;

  /** Begins at once, also when there is no cluster yet to write to. */
  constructor({ name, endpoint, writers = 4, readers = 1, paceMs = 20 }: WitnessOptions) {
    this.name = name;
    this.#endpoint = endpoint;
    this.#paceMs = paceMs;
    this.#prefix = `witness/${name}/`;
    this.#ledger = new Ledger(this.#prefix);
    this.#work = [
      ...Array.from({ length: writers }, () => this.#keepOn((client) => this.#write(client))),
      ...Array.from({ length: readers }, () => this.#keepOn((client) => this.#read(client))),
    ];
  }

  /** Waits until writes that began after now were acknowledged. */
  async writesAgain(count = 20, timeoutMs = 60_000): Promise<void> {
    const goal = this.#acknowledged + count;
    const what = `${count} more writes of ${this.name} to be acknowledged`;
    await until(() => this.#acknowledged >= goal, { what, timeoutMs }).catch((error: Error) => {
      throw new Error(`${error.message}; ${this.describe()}`, { cause: this.#lastError });
    });
  }

  /** Has every one of these members read everything through the majority, and throws when any promise is broken. */
  async check(members: readonly MemberEndpoint[]): Promise<void> {
    const clients = members.map(({ name, ...endpoint }) => ({
      name,
      client: this.#client(endpoint, CHECK_TIMEOUT_MS),
    }));
    try {
      const revisions = await Promise.all(
        clients.map(async ({ name, client }) => {
          const expected = this.#ledger.expect();
          const everything = await readAll(client, this.#prefix);
          this.#ledger.compare(expected, everything, name);
          return everything.revision;
        }),
      );
      await this.#compareHashes(clients, revisions);
    } finally {
      for (const { client } of clients) client.close();
    }
    this.#ledger.assertUnbroken();
  }

  /** Throws when a promise is known to be broken; sends no request. */
  assertUnbroken(): void {
    this.#ledger.assertUnbroken();
  }

  async stop(): Promise<void> {
    const isFirst = !this.#isOver;
    this.#isOver = true;
    await Promise.all(this.#work);
    // No client has written since it was stopped before.
    if (isFirst) this.#noteGap();
  }

  /** The cluster was restored: another one, by its id, has to keep the promises. */
  followRestore(): void {
    this.#clusterId = undefined;
  }

  /**
   * The same, from a backup that was taken while this one wrote: promises up to its revision are to be kept, and no
   * other. Returns how many writes were kept and how many were undone.
   */
  restoredTo(revision: number): { readonly kept: number; readonly undone: number } {
    this.followRestore();
    const undone = this.#ledger.restoredTo(BigInt(revision));
    return { kept: this.#ledger.count("acknowledged"), undone };
  }

  report(): WitnessReport {
    return {
      acknowledged: this.#acknowledged,
      refused: this.#ledger.count("refused"),
      unknown: this.#ledger.count("unknown"),
      reads: this.#reads,
      longestGapMs: Math.round(this.#longestGapMs),
    };
  }

  describe(): string {
    const { acknowledged, refused, unknown, reads, longestGapMs } = this.report();
    return `witness ${this.name}: ${acknowledged} writes acknowledged, ${unknown} unknown, ${refused} refused, ${reads} reads, longest gap ${longestGapMs} ms`;
  }

  async #keepOn(step: (client: EtcdClient) => Promise<void>): Promise<void> {
    let client: EtcdClient | undefined;
    while (!this.#isOver) {
      try {
        client ??= await this.#connect();
        await step(client);
        await pause(this.#paceMs);
      } catch (error) {
        this.#lastError = error;
        // Another connection may lead to a member that answers.
        client?.close();
        client = undefined;
        if (error instanceof EtcdError && error.code === "wrong-cluster") this.#ledger.accuse(error.message);
        await pause(AFTER_FAILURE_MS);
      }
    }
    client?.close();
  }

  /** Reaches a member before anything is written, so that a write fails only when it may have been sent. */
  async #connect(): Promise<EtcdClient> {
    const isKnown = this.#clusterId !== undefined;
    const client = this.#client(this.#endpoint(), TIMEOUT_MS);
    try {
      const { clusterId } = await client.status();
      this.#clusterId ??= clusterId;
      if (isKnown) return client;
    } catch (error) {
      client.close();
      throw error;
    }
    // It expects no cluster yet, and would follow its address to any other.
    client.close();
    return this.#connect();
  }

  #client(endpoint: Endpoint, timeoutMs: number): EtcdClient {
    const clusterId = this.#clusterId;
    return connectEtcd(endpoint, { timeoutMs, ...(clusterId !== undefined && { expectClusterId: clusterId }) });
  }

  async #write(client: EtcdClient): Promise<void> {
    const write = this.#ledger.beginWrite();
    try {
      const { revision } = await client.put({ key: write.key, value: write.value });
      this.#ledger.acknowledge(write, revision);
      this.#acknowledged += 1;
      this.#noteGap();
    } catch (error) {
      if (isRefusal(error)) this.#ledger.refuse(write);
      else this.#ledger.leaveUnknown(write);
      throw error;
    }
  }

  /** Reads the newest keys and, by and by, all the others. */
  async #read(client: EtcdClient): Promise<void> {
    const newest = Math.max(0, this.#ledger.size - WINDOW);
    for (const from of new Set([newest, Math.min(this.#cursor, newest)])) {
      const expected = this.#ledger.expect(from, Math.min(from + WINDOW, this.#ledger.size));
      const [key, rangeEnd] = [this.#ledger.keyOf(expected.from), this.#ledger.keyOf(expected.to)];
      if (key !== rangeEnd) this.#ledger.compare(expected, await client.range({ key, rangeEnd }), "a reader");
      this.#reads += 1;
    }
    this.#cursor = this.#cursor >= newest ? 0 : this.#cursor + WINDOW;
  }

  async #compareHashes(
    clients: readonly { name: string; client: EtcdClient }[],
    revisions: readonly bigint[],
  ): Promise<void> {
    const revision = revisions.reduce((least, each) => (each < least ? each : least), revisions[0] ?? 0n);
    if (clients.length < 2 || revision === 0n) return;
    const hashes = await Promise.all(
      clients.map(async ({ name, client }) => ({ name, ...(await client.hashKeyValues(revision)) })),
    );
    const told = hashes.map(({ name, hash, compactRevision }) => `${name}: ${hash} (compacted ${compactRevision})`);
    // Hashes of stores that were compacted at different revisions cannot be compared.
    const isComparable = new Set(hashes.map(({ compactRevision }) => compactRevision)).size === 1;
    if (isComparable && new Set(hashes.map(({ hash }) => hash)).size > 1) {
      this.#ledger.accuse(`the members differ at revision ${revision}: ${told.join(", ")}`);
    }
  }

  #noteGap(): void {
    const now = performance.now();
    if (this.#lastAcknowledgedMs !== undefined) {
      this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#lastAcknowledgedMs);
    }
    this.#lastAcknowledgedMs = now;
  }
}
