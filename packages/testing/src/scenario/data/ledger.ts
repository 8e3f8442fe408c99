import type { KeyValue } from "@etcd-operator/etcd-client";

export interface Write {
  readonly sequence: number;
  readonly key: string;
  readonly value: string;
  /** The newest revision that any client knew when the write began: its own must be above. */
  readonly floor: bigint;
}

/** What a linearizable read that begins now must show, at least. */
export interface Expectation {
  readonly from: number;
  readonly to: number;
  readonly floor: bigint;
  readonly mustBeThere: readonly number[];
}

interface Entry {
  readonly value: string;
  /**
   * "unknown" may or may not have been applied; "refused" was not, for sure; "undone" was, and a restore has
   * rolled it back.
   */
  outcome: "open" | "acknowledged" | "refused" | "unknown" | "undone";
  /** Known from the acknowledgement, or from the first read of the key. */
  revision: bigint | undefined;
}

const MOST_TOLD = 10;

/**
 * What was written and what came of it, and what readers saw. Every key is written once, so a key that has been
 * acknowledged or read must be there for ever, with the same value and the same revision.
 */
export class Ledger {
  readonly #prefix: string;
  readonly #entries: Entry[] = [];
  readonly #byRevision = new Map<bigint, number>();
  readonly #violations: string[] = [];
  #newest = 0n;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get size(): number {
    return this.#entries.length;
  }

  get violations(): readonly string[] {
    return this.#violations;
  }

  count(outcome: Entry["outcome"]): number {
    return this.#entries.filter((entry) => entry.outcome === outcome).length;
  }

  keyOf(sequence: number): string {
    return `${this.#prefix}${String(sequence).padStart(9, "0")}`;
  }

  beginWrite(): Write {
    const sequence = this.#entries.length;
    const value = `value ${sequence} of ${this.#prefix}`;
    this.#entries.push({ value, outcome: "open", revision: undefined });
    return { sequence, key: this.keyOf(sequence), value, floor: this.#newest };
  }

  acknowledge({ sequence, key, floor }: Write, revision: bigint): void {
    if (revision <= floor) {
      this.accuse(`${key} was acknowledged at revision ${revision}, though ${floor} had been given out before`);
    }
    this.#settle(sequence, "acknowledged");
    this.#learnRevision(sequence, revision);
    this.#learnNewest(revision);
  }

  /** The write did not happen, and never will. */
  refuse({ sequence, key }: Write): void {
    this.#settle(sequence, "refused");
    if (this.#entry(sequence)?.revision !== undefined) this.accuse(`${key} was refused, but has been read`);
  }

  leaveUnknown({ sequence }: Write): void {
    this.#settle(sequence, "unknown");
  }

  /**
   * The cluster was put back to how it was at a revision: what came later is gone for good. Returns how many writes
   * that were.
   */
  restoredTo(revision: bigint): number {
    const undone = this.#entries.filter((entry) => entry.revision !== undefined && entry.revision > revision);
    for (const entry of undone) {
      this.#byRevision.delete(entry.revision ?? 0n);
      Object.assign(entry, { outcome: "undone", revision: undefined });
    }
    this.#newest = revision;
    return undone.length;
  }

  /** For keys from `from` up to, and without, `to`. */
  expect(from = 0, to = this.#entries.length): Expectation {
    const mustBeThere: number[] = [];
    for (let sequence = from; sequence < to; sequence += 1) {
      if (this.#entry(sequence)?.revision !== undefined) mustBeThere.push(sequence);
    }
    return { from, to, floor: this.#newest, mustBeThere };
  }

  /** Compares what a linearizable read of the whole range showed. */
  compare(expected: Expectation, read: { revision: bigint; keyValues: readonly KeyValue[] }, reader: string): void {
    if (read.revision < expected.floor) {
      this.accuse(`${reader} read at revision ${read.revision}, though ${expected.floor} had been given out before`);
    }
    const seen = new Set(read.keyValues.map((keyValue) => this.#see(keyValue, reader)));
    const lost = expected.mustBeThere.filter((sequence) => !seen.has(sequence));
    for (const sequence of lost) {
      const entry = this.#entry(sequence);
      const how = entry?.outcome === "acknowledged" ? "was acknowledged" : "had been read before";
      this.accuse(`${this.keyOf(sequence)} (revision ${entry?.revision}) ${how}; ${reader} does not have it`);
    }
    this.#learnNewest(read.revision);
  }

  accuse(violation: string): void {
    this.#violations.push(violation);
  }

  /** Throws when anything was lost, went back, or came out of nowhere. */
  assertUnbroken(): void {
    if (this.#violations.length === 0) return;
    const told = this.#violations.slice(0, MOST_TOLD);
    const more = this.#violations.length - told.length;
    throw new Error(
      [`${this.#violations.length} broken promises:`, ...told, ...(more ? [`and ${more} more`] : [])].join("\n"),
    );
  }

  #see({ key, value, createRevision, modRevision, version }: KeyValue, reader: string): number {
    const name = Buffer.from(key).toString();
    const sequence = Number(name.slice(this.#prefix.length));
    const entry = this.#entry(sequence);
    const text = Buffer.from(value).toString();
    if (!entry || name !== this.keyOf(sequence) || text !== entry.value) {
      this.accuse(`${reader} has '${name}' = '${text}', which no client wrote`);
      return -1;
    }
    if (entry.outcome === "refused") this.accuse(`${name} was refused; ${reader} has it`);
    if (entry.outcome === "undone") this.accuse(`${name} was written after the backup; ${reader} has it`);
    if (version !== 1n || createRevision !== modRevision) {
      this.accuse(`${name} was written once; ${reader} has version ${version} of it`);
    }
    this.#learnRevision(sequence, modRevision);
    return sequence;
  }

  #learnRevision(sequence: number, revision: bigint): void {
    const entry = this.#entry(sequence);
    if (!entry || entry.revision === revision) return;
    const key = this.keyOf(sequence);
    if (entry.revision !== undefined) {
      this.accuse(`${key} had revision ${entry.revision}, and now has ${revision}`);
      return;
    }
    const other = this.#byRevision.get(revision);
    if (other !== undefined) this.accuse(`${this.keyOf(other)} and ${key} both have revision ${revision}`);
    entry.revision = revision;
    this.#byRevision.set(revision, sequence);
  }

  #learnNewest(revision: bigint): void {
    if (revision > this.#newest) this.#newest = revision;
  }

  #settle(sequence: number, outcome: Entry["outcome"]): void {
    const entry = this.#entry(sequence);
    if (entry) entry.outcome = outcome;
  }

  #entry(sequence: number): Entry | undefined {
    return this.#entries[sequence];
  }
}
