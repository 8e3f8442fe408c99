import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { MemberUnderTest } from "@etcd-operator/testing/etcd/member-under-test.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { connectEtcd, type EtcdClient } from "./etcd-client.ts";

// Vitest fails the run on an uncaught error, so passing also shows that the process lives (connect-es#1768).
describe("a client whose etcd goes and comes back", () => {
  let plain: EtcdProcess;
  let dir: string;
  let member: MemberUnderTest;
  const clients: EtcdClient[] = [];
  const newClient = (keepAlive = {}) => {
    const client = connectEtcd({ address: member.address }, { keepAlive });
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "etcd-reconnect-"));
    plain = await startEtcd({ version: "3.5.16" });
    member = await MemberUnderTest.create({ binary: plain.binaries.etcd, dir, name: "m" });
    member.start();
    await answers(newClient());
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await Promise.all([member?.stop(), plain?.stop()]);
    await rm(dir, { recursive: true, force: true });
  });

  // SIGTERM makes etcd say GOAWAY; SIGKILL lets it vanish.
  test.each(["SIGTERM", "SIGKILL"] as const)(
    "after %s an idle one works on, a watch says that it broke",
    async (signal) => {
      const idle = newClient();
      await idle.status();
      const busy = newClient();
      const watching = busy.watch({ key: "w" })[Symbol.asyncIterator]();
      await watching.next();
      const broken = errorOf(watching.next());
      await member.stop(signal);
      expect((await broken).code).toBe("unavailable");
      expect((await errorOf(idle.status())).code).toBe("unavailable");
      member.start();
      const before = await answers(idle);

      const resumed = busy.watch({ key: "w", startRevision: before + 1n })[Symbol.asyncIterator]();
      await resumed.next();
      await idle.put({ key: "w", value: signal });
      expect((await resumed.next()).value).toMatchObject({ kind: "events", revision: before + 1n });
      await resumed.return?.();
    },
  );

  test("a write that was under way fails once and is not sent again", async () => {
    const client = newClient();
    await client.put({ key: "counter", value: "0" });
    const { version } = (await client.range({ key: "counter" })).keyValues[0] ?? { version: 0n };
    member.signal("SIGSTOP");
    const write = errorOf(client.put({ key: "counter", value: "1" }, { timeoutMs: 30_000 }));
    await member.stop("SIGKILL");
    expect((await write).code).toBe("unavailable");
    member.start();
    await answers(client);
    expect((await client.range({ key: "counter" })).keyValues[0]?.version).toBe(version);
  });

  test("a process that hangs is found out by pings, and used again when it wakes up", async () => {
    const client = newClient({ pingIntervalMs: 200, pingTimeoutMs: 300, connectTimeoutMs: 500 });
    const watching = client.watch({ key: "hung" })[Symbol.asyncIterator]();
    await watching.next();
    const broken = errorOf(watching.next());
    member.signal("SIGSTOP");
    expect((await broken).message).toMatch(/does not answer pings/);
    const deadline = errorOf(client.status({ timeoutMs: 200 }));
    expect(["deadline", "unavailable"]).toContain((await deadline).code);
    member.signal("SIGCONT");
    await answers(client);
  });
});

/** Waits until it serves again, and gives the revision it stands at. */
function answers(client: EtcdClient): Promise<bigint> {
  return vi.waitFor(async () => (await client.range({ key: "x" }, { timeoutMs: 1_000 })).revision, {
    timeout: 30_000,
    interval: 50,
  });
}
