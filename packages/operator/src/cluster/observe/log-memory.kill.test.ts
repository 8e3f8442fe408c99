import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectEtcd, type EtcdClient } from "@etcd-operator/etcd-client";
import { etcdBinaries, obstacleOf, obtainableVersions } from "@etcd-operator/local-kubernetes";
import { MemberUnderTest } from "@etcd-operator/testing/etcd/member-under-test.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { onTestFinished, test } from "vitest";
import { logEnd } from "../guard/log-end.ts";
import { isBehind, type LogReached } from "../guard/log-reached.ts";
import { askMember } from "./members/ask-member.ts";
import { LogMemory } from "./members/log-memory.ts";

const KILLS = 2;
const WRITERS = 16;
// A first run on a machine downloads and compiles.
const FIRST_RUN_MS = 15 * 60_000;

// One that may apply what it has not written down yet, which shows where there is no other to agree; and one that may
// not.
const SIZES: Readonly<Record<string, number>> = { "3.3.25": 1, "3.5.16": 2 };

for (const offer of await obtainableVersions()) {
  const { version } = offer;
  const [size, obstacle] = [SIZES[version], obstacleOf(offer)];
  if (size === undefined) continue;
  const name = `etcd ${version}, one of ${size}, that is killed while clients write has all that was certain`;
  test.skipIf(obstacle)(titleWith(name, obstacle), { timeout: FIRST_RUN_MS }, async () => {
    const cluster = await Writing.start(version, size);
    onTestFinished(() => cluster.stop());
    for (let kill = 0; kill < KILLS; kill += 1) {
      const { certain, end } = await cluster.killOne(kill % size);
      assert.ok(certain.index > 0 && certain.revision > 0);
      assert.equal(isBehind(end, certain), false, `${JSON.stringify(end)} after ${JSON.stringify(certain)}`);
    }
  });
}

/** Members that are written to all the time, by clients that do not care whether that succeeds. */
class Writing {
  readonly #members: readonly MemberUnderTest[];
  readonly #clients: readonly EtcdClient[];
  readonly #dir: string;
  readonly #writers: readonly Promise<void>[];
  #isOver = false;

  private constructor(members: readonly MemberUnderTest[], dir: string) {
    this.#members = members;
    this.#dir = dir;
    this.#clients = members.map(({ address }) => connectEtcd({ address }));
    this.#writers = Array.from({ length: WRITERS }, (_, at) => this.#write(at));
  }

  static async start(version: string, size: number): Promise<Writing> {
    const { etcd: binary } = await etcdBinaries(version);
    const dir = await mkdtemp(join(tmpdir(), "etcd-kill-"));
    const create = (name: string) => MemberUnderTest.create({ binary, dir, name });
    const members = await Promise.all(["a", "b"].slice(0, size).map(create));
    const [first, second] = members;
    first?.start();
    const writing = new Writing(members, dir);
    await writing.#serves(0);
    if (first && second) {
      await writing.#clients[0]?.addMember({ peerUrls: [second.peerUrl], asLearner: false });
      second.start([first]);
      await writing.#serves(1);
    }
    return writing;
  }

  /** Asks a member in two reconciles, kills it at once, and reads its log; then it runs again. */
  async killOne(at: number): Promise<{ certain: LogReached; end: { term: number; index: number } }> {
    const [member, client] = [this.#members[at], this.#clients[at]];
    assert.ok(member && client);
    await this.#serves(at);
    const memory = new LogMemory();
    const pass = async () => {
      const question = { clusterId: undefined, timeoutMs: 2_000, signal: new AbortController().signal };
      const { answer } = await askMember(client, question);
      const heard = { answers: [answer], membership: { kind: "unknown" }, nowMs: 0 } as const;
      return memory.learn("k", heard).get(answer.status?.memberId ?? "");
    };
    await pass();
    const certain = await until(pass, { what: "a log that is certain", everyMs: 1 });
    await member.stop("SIGKILL");
    const wal = join(this.#dir, member.name, "member/wal");
    const segments = (await readdir(wal)).filter((name) => name.endsWith(".wal")).sort();
    const end = logEnd(segments.map((name) => join(wal, name)));
    member.start();
    return { certain, end };
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#writers);
    for (const client of this.#clients) client.close();
    for (const member of this.#members) await member.stop();
    await rm(this.#dir, { recursive: true, force: true });
  }

  async #serves(at: number): Promise<void> {
    const read = () => this.#clients[at]?.range({ key: "health", countOnly: true }, { timeoutMs: 1_000 });
    await until(async () => Boolean(await read()), { what: "a member to serve", timeoutMs: 60_000 });
  }

  async #write(writer: number): Promise<void> {
    for (let count = 0; !this.#isOver; count += 1) {
      const client = this.#clients[count % this.#clients.length];
      await client?.put({ key: `w/${writer}`, value: "x".repeat(500) }, { timeoutMs: 500 }).catch(() => undefined);
    }
  }
}
