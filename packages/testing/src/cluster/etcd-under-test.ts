import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Member } from "@etcd-operator/etcd-client";
import { connectEtcd, type EtcdClient } from "@etcd-operator/etcd-client";
import { type EtcdBinaries, etcdBinaries } from "@etcd-operator/local-kubernetes/binaries/etcd-binaries.ts";
import { MemberUnderTest } from "../etcd/member-under-test.ts";
import { until } from "../until.ts";

interface Started {
  readonly process: MemberUnderTest;
  readonly client: EtcdClient;
}

/** For tests: a real etcd cluster on loopback, whose members are called like pods. */
export class EtcdUnderTest {
  readonly #binaries: EtcdBinaries;
  readonly #dir: string;
  readonly #members = new Map<string, Started>();

  /** A cluster of these members, once each of them serves. */
  static async start(version: string, ...names: readonly string[]): Promise<EtcdUnderTest> {
    const started = new EtcdUnderTest(await etcdBinaries(version), await mkdtemp(join(tmpdir(), "etcd-under-test-")));
    // The last of two flags counts: an initial member gets the list of the others, but joins no cluster.
    const flags = ["--initial-cluster-state", "new"];
    const founders = await Promise.all(names.map((name) => started.#prepare(name, flags)));
    for (const founder of founders) founder.start(founders.filter((other) => other !== founder));
    await Promise.all(names.map((name) => started.#serves(name)));
    return started;
  }

  private constructor(binaries: EtcdBinaries, dir: string) {
    this.#binaries = binaries;
    this.#dir = dir;
  }

  get clients(): ReadonlyMap<string, EtcdClient> {
    return new Map([...this.#members].map(([name, { client }]) => [name, client]));
  }

  clientOf(name: string): EtcdClient {
    return this.#of(name).client;
  }

  /** In hexadecimal. */
  async clusterId(): Promise<string> {
    return (await this.#anyClient().status()).clusterId.toString(16);
  }

  /** In hexadecimal. */
  async idOf(name: string): Promise<string> {
    const member = (await this.list()).find((each) => each.name === name);
    if (!member) throw new Error(`${name} is not in the list`);
    return member.id.toString(16);
  }

  async peerUrlOf(name: string): Promise<string | undefined> {
    return (await this.list()).find((member) => member.name === name)?.peerUrls[0];
  }

  /** As one member knows them. */
  async list(): Promise<readonly Member[]> {
    return this.#anyClient().members({ linearizable: false });
  }

  async names(): Promise<readonly string[]> {
    return (await this.list()).map(({ name, peerUrls }) => name || `unstarted ${peerUrls[0]}`).sort();
  }

  /** Adds a learner and waits until it follows. */
  async join(name: string): Promise<void> {
    const process = await this.#prepare(name, []);
    const others = [...this.#members.values()].map((member) => member.process).filter((other) => other !== process);
    const { peerUrl } = process;
    await until(() => this.#anyClient().addMember({ peerUrls: [peerUrl], asLearner: true }), { what: `${name} added` });
    process.start(others);
    await until(async () => (await this.clientOf(name).status()).leaderId !== undefined, { what: `${name} to follow` });
  }

  async leader(): Promise<string> {
    return until(
      async () => {
        const { leaderId } = await this.#anyClient().status();
        return (await this.list()).find(({ id }) => id === leaderId)?.name;
      },
      { what: "a leader" },
    );
  }

  /** Kills a member's process; its data stays. */
  async kill(name: string): Promise<void> {
    await this.#of(name).process.stop();
  }

  /** Starts it again on its data, as another version if need be, and waits until it serves. */
  async restart(name: string, version?: string): Promise<void> {
    const { etcd = undefined } = version === undefined ? {} : await etcdBinaries(version);
    this.#of(name).process.start([], etcd);
    await this.#serves(name);
  }

  /** What its users would do with etcdctl. */
  async etcdctl(...words: readonly string[]): Promise<string> {
    const [first] = this.#members.values();
    const env = { PATH: process.env.PATH, ETCDCTL_API: "3", ETCDCTL_ENDPOINTS: first?.process.address };
    return (await promisify(execFile)(this.#binaries.etcdctl, words, { env })).stdout;
  }

  /** From now on clients without a user may hardly do anything. */
  async enableUsers(): Promise<void> {
    await this.etcdctl("user", "add", "root:secret");
    await this.etcdctl("user", "grant-role", "root", "root");
    await this.etcdctl("auth", "enable");
  }

  /** Gives a key another value of the same length behind a member's back: its disk has changed, without a request. */
  async tamper(name: string, value: string, other: string): Promise<void> {
    const file = join(this.#dir, name, "member/snap/db");
    // The newest writes are in the log alone for a moment, from where they would come back.
    await until(async () => (await readFile(file)).includes(value), { what: "the value to be on disk" });
    await this.kill(name);
    const data = await readFile(file);
    for (let at = data.indexOf(value); at >= 0; at = data.indexOf(value, at)) data.write(other, at);
    await writeFile(file, data);
    await this.restart(name);
  }

  /** Stops a member's process in its tracks: it holds its connections, and answers nothing. */
  pause(name: string): void {
    this.#of(name).process.signal("SIGSTOP");
  }

  /** Lets it go on, and waits until it serves. */
  async resume(name: string): Promise<void> {
    this.#of(name).process.signal("SIGCONT");
    await this.#serves(name);
  }

  async stop(): Promise<void> {
    for (const { client, process } of this.#members.values()) {
      client.close();
      await process.stop();
    }
    await rm(this.#dir, { recursive: true, force: true });
  }

  async #prepare(name: string, flags: readonly string[]): Promise<MemberUnderTest> {
    const process = await MemberUnderTest.create({ binary: this.#binaries.etcd, dir: this.#dir, name, flags });
    this.#members.set(name, { process, client: connectEtcd({ address: process.address }) });
    return process;
  }

  async #serves(name: string): Promise<void> {
    const isHealthy = async () => (await this.clientOf(name).health({ timeoutMs: 1_000 })).health === "healthy";
    await until(isHealthy, { what: `${name} to serve` }).catch((cause: unknown) => {
      throw new Error(`${name} does not serve; it printed: ${this.#of(name).process.log.slice(-2_000)}`, { cause });
    });
  }

  #of(name: string): Started {
    const member = this.#members.get(name);
    if (member) return member;
    throw new Error(`there is no member ${name}`);
  }

  /** That of the first by name, in any order of creation: tests remove others. */
  #anyClient(): EtcdClient {
    const [first] = [...this.#members.keys()].sort();
    if (first !== undefined) return this.#of(first).client;
    throw new Error("there is no member");
  }
}
