import { until } from "@etcd-operator/testing/until.ts";
import { diceOf } from "../plan.ts";
import type { Stage } from "../stage.ts";
import { MembersAt } from "./members-at.ts";
import { useRegisters } from "./register-client.ts";
import type { Scene } from "./session.ts";
import { Watcher } from "./watcher.ts";

export const PREFIX = "load/";
export const KEYS = Array.from({ length: 6 }, (_, number) => `${PREFIX}${number}`);
const CLIENTS = 5;
const WATCHERS = 2;
const PACE_MS = 50;
const RESTLESS_AFTER = 400;
const CATCH_UP_MS = 60_000;

/** All clients of a cluster while it goes through its plan. */
export class Clients {
  readonly #stage: Stage;
  readonly #watchers: readonly Watcher[];
  readonly #scene: Scene;
  readonly #members = new MembersAt();
  readonly #usersStop = new AbortController();
  readonly #watchersStop = new AbortController();
  readonly #work: Promise<void>[] = [];

  constructor(stage: Stage) {
    this.#stage = stage;
    stage.haveSeen = (revision) => this.haveSeen(revision);
    const { recorder } = stage;
    this.#scene = { recorder, addresses: () => this.#members.addresses, epoch: () => stage.epoch };
    this.#watchers = Array.from({ length: WATCHERS }, (_, number) => {
      const options = { name: `watcher-${number}`, prefix: PREFIX, restlessAfter: RESTLESS_AFTER };
      return new Watcher(this.#scene, options, diceOf(stage.plan, options.name));
    });
  }

  /** Returns when all watch, so that nothing is done that is not reported. */
  async start(): Promise<void> {
    const { plan, cluster } = this.#stage;
    this.#work.push(this.#members.follow(cluster, this.#watchersStop.signal));
    for (const watcher of this.#watchers) this.#work.push(watcher.follow(this.#watchersStop.signal));
    await this.haveSeen(0n);
    for (let number = 0; number < CLIENTS; number += 1) {
      const options = { name: `client-${number}`, keys: KEYS, paceMs: PACE_MS };
      const dice = diceOf(plan, options.name);
      this.#work.push(useRegisters(this.#scene, options, dice, this.#usersStop.signal));
    }
  }

  /** Waits until every watch got everything up to a revision of the present epoch. */
  async haveSeen(revision: bigint): Promise<void> {
    const { number } = this.#stage.epoch;
    const haveSeen = () => this.#watchers.every((watcher) => watcher.hasSeen(number, revision));
    const what = `watches to be told up to revision ${revision}`;
    await until(haveSeen, { what, timeoutMs: CATCH_UP_MS }).catch((error: Error) => {
      throw new Error(`${error.message}; ${this.#watchers.map((watcher) => watcher.describe()).join("; ")}`);
    });
  }

  stopUsing(): void {
    this.#usersStop.abort();
  }

  async stop(): Promise<void> {
    this.stopUsing();
    this.#watchersStop.abort();
    await Promise.all(this.#work);
  }
}
