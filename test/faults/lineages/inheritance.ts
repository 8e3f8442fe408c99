import type { Acknowledged, Ledger } from "./ledger.ts";

type Keys = Pick<ReadonlySet<string>, "has">;

/** What the cluster that lives on has to have: what was restored into it, and what it has acknowledged itself. */
export class Inheritance {
  readonly #ledger: Pick<Ledger, "writes">;
  #inherited: Keys = new Set<string>();
  #clusterId: string;

  constructor(ledger: Pick<Ledger, "writes">, clusterId: string) {
    this.#ledger = ledger;
    this.#clusterId = clusterId;
  }

  get clusterId(): string {
    return this.#clusterId;
  }

  /** All that it has to have now. */
  get owed(): ReadonlySet<string> {
    return new Set(this.#ledger.writes.filter((write) => this.#isOwed(write)).map(({ key }) => key));
  }

  /** From now on another etcd cluster goes on, with these keys of the one before. */
  passTo(clusterId: string, inherited: Keys): void {
    this.#clusterId = clusterId;
    this.#inherited = inherited;
  }

  /** Acknowledged, owed, and not there. */
  lostFrom(keys: Keys): readonly Acknowledged[] {
    return this.#ledger.writes.filter((write) => this.#isOwed(write) && !keys.has(write.key));
  }

  /** Left behind on purpose when an earlier state was restored, and there again. */
  resurrectedIn(keys: Keys): readonly Acknowledged[] {
    return this.#ledger.writes.filter((write) => !this.#isOwed(write) && keys.has(write.key));
  }

  #isOwed({ key, clusterId }: Acknowledged): boolean {
    return clusterId === this.#clusterId || this.#inherited.has(key);
  }
}
