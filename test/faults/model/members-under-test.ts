import type { EtcdClient } from "@etcd-operator/etcd-client";
import { parseVersion } from "@etcd-operator/etcd-client";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { randomOf } from "../../model/random.ts";
import type { Disk } from "./etcd/disk.ts";
import type { EtcdProcess } from "./etcd/etcd-process.ts";
import { EtcdModel } from "./etcd-model.ts";

export interface StartGiven {
  readonly state?: "new" | "existing";
  /** The members named in `--initial-cluster`, beside itself. */
  readonly peers?: readonly string[];
  readonly token?: string;
  readonly version?: string;
  readonly disk?: string;
  readonly more?: readonly string[];
}

/** For tests of the model: etcds that are started by hand, as a careless operator would, on a clock of their own. */
export class MembersUnderTest {
  readonly clock = new FakeClock();
  readonly etcd: EtcdModel;
  readonly #addresses = new Map<string, string>();

  constructor(seed = 1) {
    this.etcd = new EtcdModel({ clock: this.clock, random: randomOf(seed) });
  }

  /** Starts an etcd under a name, on the volume of that name. */
  start(name: string, given: StartGiven = {}): EtcdProcess {
    const { state = "new", peers = [], token = "t", version = "3.5.16", disk = name, more = [] } = given;
    const initial = [...peers, name].map((each) => `${each}=${this.url(each)}`).join(",");
    return this.etcd.run({
      ...{ pod: name, ip: this.ip(name), host: name, variables: new Map(), disk: this.etcd.disk(disk) },
      version: parseVersion(version) ?? { major: 3, minor: 5, patch: 16 },
      command: [
        ...["etcd", `--name=${name}`, `--initial-cluster=${initial}`, `--initial-cluster-state=${state}`],
        ...[`--initial-cluster-token=${token}`, `--initial-advertise-peer-urls=${this.url(name)}`],
        ...[`--advertise-client-urls=http://${name}:2379`, ...more],
      ],
    });
  }

  /** Bootstraps a cluster of all of them at once, and waits until it answers. */
  async found(...names: readonly string[]): Promise<void> {
    for (const name of names) this.start(name, { peers: names.filter((other) => other !== name) });
    await this.clock.advance(10_000);
  }

  client(name: string): EtcdClient {
    return this.etcd.connect({ address: `${this.ip(name)}:2379` });
  }

  /** Adds a member, starts it, and makes a voter of it. */
  async join(name: string, via: string, peers: readonly string[]): Promise<void> {
    const { id } = await this.client(via).addMember({ peerUrls: [this.url(name)], asLearner: true });
    this.start(name, { state: "existing", peers });
    await this.clock.advance(2_000);
    await this.client(via).promoteMember(id);
    await this.clock.advance(6_000);
  }

  disk(name: string): Disk {
    return this.etcd.disk(name);
  }

  leader(): string {
    return this.etcd.processes.find(({ role }) => role === "leader")?.launch.pod ?? "none";
  }

  url(name: string): string {
    return `http://${name}:2380`;
  }

  ip(name: string): string {
    const known = this.#addresses.get(name) ?? `10.1.0.${this.#addresses.size + 1}`;
    this.#addresses.set(name, known);
    return known;
  }

  async idOf(name: string, via: string): Promise<bigint> {
    const members = await this.client(via).members();
    return members.find((member) => member.peerUrls.includes(this.url(name)))?.id ?? 0n;
  }

  /** What a call comes to while time passes. */
  async during<T>(call: Promise<T>, ms = 10_000): Promise<T> {
    const settled = call.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    await this.clock.advance(ms);
    const outcome = await settled;
    if ("error" in outcome) throw outcome.error;
    return outcome.value;
  }
}
