import { setTimeout as pause } from "node:timers/promises";
import { connectEtcd, prefixEnd } from "@etcd-operator/etcd-client";
import { until } from "@etcd-operator/testing/until.ts";
import { EtcdClients } from "./etcd-clients.ts";
import { type WriteReport, WriteTally } from "./write-tally.ts";

export interface WriteLoadGiven {
  readonly name: string;
  readonly perSecond: number;
  /** Where members can be reached now, as host:port. */
  readonly addresses: () => readonly string[];
}

const TICK_MS = 5;
/** A proposal that was sent to a leader that died is never answered: the client then asks another member. */
const TRY_MS = 300;
const AGAIN_MS = 10;
const GIVE_UP_MS = 10_000;
const VALUE = "v".repeat(100);

/**
 * Clients that write so many keys a second, whatever comes of those before, spread over all members. Each write has a
 * key of its own, so it can be sent again: to another member, as soon as one refuses it or does not answer.
 */
export class WriteLoad {
  readonly #given: WriteLoadGiven;
  readonly #prefix: string;
  readonly #tally = new WriteTally();
  readonly #clients = new EtcdClients((address) => connectEtcd({ address }, { timeoutMs: TRY_MS }));
  readonly #open = new Set<Promise<void>>();
  readonly #sending: Promise<void>;
  #lastAddresses: readonly string[] = [];
  #isOver = false;

  /** Returns when it is under way. */
  static async start(given: WriteLoadGiven): Promise<WriteLoad> {
    const load = new WriteLoad(given);
    const isUnderWay = () => load.#tally.acknowledged >= given.perSecond / 10;
    await until(isUnderWay, { what: `${given.name} to write`, everyMs: TICK_MS });
    return load;
  }

  private constructor(given: WriteLoadGiven) {
    this.#given = given;
    this.#prefix = `load/${given.name}/`;
    this.#sending = this.#send();
  }

  /** Ends it, and sees to it that every write that was acknowledged is there. */
  async stop(): Promise<WriteReport> {
    this.#isOver = true;
    await this.#sending;
    const report = this.#tally.report(performance.now());
    await Promise.all(this.#open);
    try {
      await this.#check();
    } finally {
      this.#clients.close();
    }
    // What was open when it ended may have failed since.
    return { ...report, failed: this.#tally.failed };
  }

  async #send(): Promise<void> {
    const startedAt = performance.now();
    for (let sent = 0; !this.#isOver; ) {
      const due = ((performance.now() - startedAt) / 1000) * this.#given.perSecond;
      for (; sent < due; sent += 1) this.#begin(sent);
      await pause(TICK_MS);
    }
  }

  #begin(number: number): void {
    const write = this.#write(number).finally(() => this.#open.delete(write));
    this.#open.add(write);
  }

  async #write(number: number): Promise<void> {
    const [key, sentAt] = [`${this.#prefix}${number}`, performance.now()];
    for (let tried = 0; performance.now() - sentAt < GIVE_UP_MS; tried += 1) {
      try {
        await this.#clients.of(this.#addressFor(number + tried)).put({ key, value: VALUE });
        this.#tally.acknowledge(sentAt, performance.now());
        return;
      } catch {
        this.#tally.retry();
        await pause(AGAIN_MS);
      }
    }
    this.#tally.fail();
  }

  /** Where no member can be reached, those that were reachable are tried: they may come back. */
  #addressFor(turn: number): string {
    const now = this.#given.addresses();
    if (now.length > 0) this.#lastAddresses = now;
    const address = this.#lastAddresses[turn % this.#lastAddresses.length];
    if (address === undefined) throw new Error(`${this.#given.name} knows no member`);
    return address;
  }

  async #check(): Promise<void> {
    const { acknowledged } = this.#tally;
    const range = { key: this.#prefix, rangeEnd: prefixEnd(this.#prefix), countOnly: true };
    const ask = async (turn: number) => this.#clients.of(this.#addressFor(turn)).range(range, { timeoutMs: 5_000 });
    let turn = 0;
    const { count } = await until(() => ask(turn++), { what: `the keys of ${this.#given.name} to be counted` });
    if (count < acknowledged) throw new Error(`${acknowledged} writes were acknowledged, and ${count} are there`);
  }
}
