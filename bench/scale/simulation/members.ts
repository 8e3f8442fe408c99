import { clusterOf, idOf, SIZE } from "../fleet-names.ts";
import { type Answers, answersOf } from "./answers.ts";

export interface Member {
  readonly name: string;
  readonly cluster: string;
  readonly id: bigint;
  readonly address: string;
  /** What it says when it is asked; made when it first is. */
  answers: Answers | undefined;
}

/** Told of where members come and go. */
export interface MembersWatcher {
  came(address: string): void;
  went(address: string): void;
}

/** All members that run, by where they listen. */
export class Members {
  watcher: MembersWatcher | undefined;
  readonly #byAddress = new Map<string, Member>();
  readonly #byCluster = new Map<string, Map<string, Member>>();
  readonly #silent = new Set<string>();

  /** The member of a pod runs from now on. */
  add(name: string, address: string): void {
    if (this.#byAddress.get(address)?.name === name) return;
    const cluster = clusterOf(`/${name}`) ?? "";
    const member: Member = { name, cluster, id: idOf(name), address, answers: undefined };
    this.#byAddress.set(address, member);
    const others = this.#byCluster.get(cluster) ?? new Map<string, Member>();
    this.#byCluster.set(cluster, others.set(name, member));
    for (const other of others.values()) other.answers = undefined;
    this.watcher?.came(address);
  }

  remove(name: string): void {
    const others = this.#byCluster.get(clusterOf(`/${name}`) ?? "");
    const member = others?.get(name);
    if (!member) return;
    others?.delete(name);
    this.#byAddress.delete(member.address);
    this.watcher?.went(member.address);
  }

  silence(addresses: readonly string[]): void {
    for (const address of addresses) this.#silent.add(address);
  }

  isSilent(address: string): boolean {
    return this.#silent.has(address);
  }

  /** Whether a majority of its cluster answers. */
  hasMajority({ cluster }: Member): boolean {
    const all = [...(this.#byCluster.get(cluster)?.values() ?? [])];
    return all.filter(({ address }) => !this.#silent.has(address)).length * 2 > all.length;
  }

  get size(): number {
    return this.#byAddress.size;
  }

  at(address: string): Member | undefined {
    return this.#byAddress.get(address);
  }

  /** Undefined until all initial members run: before that it serves no client. */
  answersOf(member: Member): Answers | undefined {
    const all = [...(this.#byCluster.get(member.cluster)?.values() ?? [])];
    if (all.length < SIZE) return undefined;
    member.answers ??= answersOf(member, all);
    return member.answers;
  }
}
