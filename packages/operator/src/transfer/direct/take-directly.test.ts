import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WorkerClient } from "@etcd-operator/object-store";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { snapshotBytes, writeKeys } from "@etcd-operator/testing/etcd/snapshot-bytes.ts";
import { startWorkerProgram, type WorkerProgram } from "@etcd-operator/testing/transfer/worker-program.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { MemberOrder } from "./member-order.ts";
import { type DirectTaking, takeDirectly } from "./take-directly.ts";

const { signal } = new AbortController();
let etcd: EtcdUnderTest;
let order: MemberOrder;
beforeAll(async () => {
  etcd = await EtcdUnderTest.start("3.5.16", "a");
  await writeKeys(etcd.clientOf("a"), 300, (n) => Buffer.alloc(10_000, n));
  const { clusterId, memberId, dbSizeBytes } = await etcd.clientOf("a").status();
  order = { endpoint: { address: etcd.clientOf("a").endpoint }, clusterId, memberId, dbSizeBytes };
});
afterAll(() => etcd?.stop());

let folder: string;
let worker: WorkerProgram;
let client: WorkerClient;
let told: number[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "direct-"));
  worker = await startWorkerProgram({ args: ["serve", folder] });
  await worker.says("serving");
  client = new WorkerClient(worker.endpoint, { idleTimeoutMs: 5_000, firstRetryMs: 10 });
  told = [];
});
afterEach(async () => {
  client.close();
  await worker.stop();
  await rm(folder, { recursive: true, force: true });
});

function take(changes: Partial<DirectTaking> = {}, stop = signal) {
  const taking = {
    order,
    key: "etcd/backup",
    onProgress: (bytes: number) => told.push(bytes),
    beforeEnd: async () => undefined,
    ...changes,
  };
  return takeDirectly(client, "put volume 'backups/etcd/backup'", taking, stop);
}

/** Objects, and uploads that are none yet. */
async function filesIn(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe("a worker that reaches the member", () => {
  test("takes its snapshot, which becomes an object when it is known to be complete", async () => {
    let atTheEnd: string[] = [];
    const sent = await take({
      beforeEnd: async () => {
        atTheEnd = await filesIn();
      },
    });
    const object = await readFile(join(folder, "etcd/backup"));
    const expected = await snapshotBytes(etcd.clientOf("a"));
    expect(object.length).toBe(expected.length);
    expect(sent).toMatchObject({
      sizeBytes: object.length,
      sha256: createHash("sha256").update(object).digest("hex"),
    });
    expect(atTheEnd).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(await filesIn()).toEqual(["backup"]);
    expect(told[0]).toBe(0);
  });

  test("leaves nothing behind when the operator may not store it any more", async () => {
    const beforeEnd = () => Promise.reject(new Error("this operator does not lead"));
    await expect(take({ beforeEnd })).rejects.toThrow("does not lead");
    expect(await filesIn()).toEqual([]);
  });

  test("leaves nothing behind when it is cancelled", async () => {
    const abort = new AbortController();
    const slow = { ...order, endpoint: { address: await aProxy((_, bytes) => bytes < 1_000_000) } };
    const taking = take({ order: slow, onProgress: (bytes) => bytes > 0 && abort.abort() }, abort.signal);
    await expect(taking).rejects.toMatchObject({ code: "aborted" });
    await until(async () => (await filesIn()).length === 0, { what: "the upload to be removed" });
  });

  test("leaves nothing behind when the connection to the member breaks, and reports so", async () => {
    const address = await aProxy((cut, bytes) => {
      if (bytes > 1_000_000) cut();
      return true;
    });
    const taking = take({ order: { ...order, endpoint: { address } } });
    await expect(taking).rejects.toMatchObject({ code: "no-member", isTransient: true });
    expect(await filesIn()).toEqual([]);
  });

  test("that dies meanwhile cannot be reached, which may pass", async () => {
    const address = await aProxy((_, bytes) => bytes < 1_000_000);
    const taking = take({ order: { ...order, endpoint: { address } }, onProgress: (bytes) => bytes > 0 && kill() });
    const kill = () => worker.signal("SIGKILL");
    await expect(taking).rejects.toMatchObject({ code: "unavailable", isTransient: true });
  });
});

test("a worker whose operator dies deletes what it has written", async () => {
  const address = await aProxy((_, bytes) => bytes < 1_000_000);
  const died = new Promise<void>((resolve) => {
    const onProgress = (bytes: number) => {
      if (bytes === 0) return;
      // All its connections break, and it gets no requests any more.
      client.close();
      resolve();
    };
    take({ order: { ...order, endpoint: { address } }, onProgress }).catch(() => undefined);
  });
  await died;
  await until(async () => (await filesIn()).length === 0, { what: "the upload to be removed" });
});

describe("a worker that does not reach the member reports so, and leaves it to others:", () => {
  test.each<[string, (right: MemberOrder) => MemberOrder]>([
    ["no server listens there", (right) => ({ ...right, endpoint: { address: "127.0.0.1:1" } })],
    ["another member answers", (right) => ({ ...right, memberId: 1n })],
    ["a member of another cluster answers", (right) => ({ ...right, clusterId: 1n })],
  ])("%s", async (_, change) => {
    expect(await take({ order: change(order) })).toBe("unreachable");
    expect(await filesIn()).toEqual([]);
  });
});

/**
 * Stands before the member. `passes` is asked for every piece that the member sends, with how much that was until then.
 */
async function aProxy(passes: (cut: () => void, bytes: number) => boolean): Promise<string> {
  const [host = "", port = ""] = order.endpoint.address.split(":");
  const server = createServer((near) => {
    const far = connect(Number(port), host);
    const cut = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on("error", cut).on("close", cut);
    near.pipe(far);
    let bytes = 0;
    far.on("data", (chunk) => {
      bytes += chunk.length;
      if (passes(cut, bytes)) near.write(chunk);
      else far.pause();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
