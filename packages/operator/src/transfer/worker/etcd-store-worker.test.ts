import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkerEndpoint } from "@etcd-operator/object-store";
import { volumeStore } from "@etcd-operator/object-store/volume/volume-store.ts";
import {
  bytesOf,
  content,
  digest,
  digestOfContent,
  storeErrorOf,
  text,
} from "@etcd-operator/testing/objectstore/contract/content.ts";
import { startWorkerProgram, type WorkerProgramOptions } from "@etcd-operator/testing/transfer/worker-program.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { pushSnapshot } from "../push-snapshot.ts";

describe("etcd-store-worker serve", () => {
  test("serves a directory until it is stopped, and leaves nothing unfinished", async () => {
    const directory = await aFolder();
    const worker = await start({ args: ["serve", directory] });
    await worker.says("serving");
    const store = storeAt(worker.endpoint);
    await store.put("etcd/backup", content(9_000_000));
    expect(await digest(store.get("etcd/backup"))).toBe(await digestOfContent(9_000_000));

    const isUnderWay = () => readdir(join(directory, ".etcd-store-worker")).then((files) => files.length > 0);
    async function* endless() {
      for (;;) yield Buffer.alloc(1_000_000);
    }
    const put = storeErrorOf(store.put("endless", endless()));
    await until(isUnderWay, { what: "the put to be under way" });
    worker.signal("SIGTERM");
    expect(await worker.ended).toBe(0);
    expect((await put).isTransient).toBe(true);
    expect(await readdir(join(directory, ".etcd-store-worker"))).toEqual([]);
    expect(await readdir(join(directory, "etcd"))).toEqual(["backup"]);
  });

  test("ends by itself when it gets no requests", async () => {
    const worker = await start({ args: ["serve", await aFolder(), "--idle-seconds=0.2"] });
    expect(await worker.ended).toBe(0);
    expect(worker.said()).toContain("ends: idle");
  });

  const canMount = spawnSync("sh", ["-c", 'unshare --mount mount -t tmpfs none "$0"', tmpdir()]).status === 0;
  test.skipIf(!canMount)("says that a volume is full, and has room again at once (needs root)", async () => {
    const directory = await aFolder();
    const mount = 'mount -t tmpfs -o size=8m none "$0" && exec "$@"';
    const inside = ["unshare", "--mount", "sh", "-c", mount, directory];
    const worker = await start({ args: ["serve", directory], inside });
    await worker.says("serving");
    const store = storeAt(worker.endpoint);
    const error = await storeErrorOf(store.put("too-large", content(30_000_000)));
    expect([error.code, error.isTransient]).toEqual(["full", false]);
    expect(error.message).toContain("too-large");
    expect(await store.stat("too-large")).toBeUndefined();
    await store.put("fits", content(7_000_000));
    expect(await digest(store.get("fits"))).toBe(await digestOfContent(7_000_000));
  });
});

describe("etcd-store-worker receive", () => {
  test("succeeds when the snapshot exists and is complete", async () => {
    const { worker, file, dataDir } = await aReceiver();
    const snapshot = aSnapshot();
    await push(worker.endpoint, snapshot);
    expect(await worker.ended).toBe(0);
    expect((await readFile(file)).equals(snapshot)).toBe(true);
    expect(existsSync(dataDir)).toBe(false);
  });

  const whole = aSnapshot();
  const flipped = Buffer.from(whole);
  flipped[700] = (flipped[700] ?? 0) ^ 1;
  test.each<[string, Buffer, string | undefined]>([
    ["another file than the one announced", whole, "0".repeat(64)],
    ["a snapshot without its hash", whole.subarray(0, -32), undefined],
    ["a snapshot that is cut off", whole.subarray(0, 1024 + 32), undefined],
    ["a snapshot of which a bit is flipped", flipped, undefined],
    ["something else", Buffer.from("no snapshot"), undefined],
  ])("refuses %s, and goes on waiting for the right one", async (_, bytes, sha256) => {
    const { worker, file } = await aReceiver();
    const error = await storeErrorOf(push(worker.endpoint, bytes, sha256));
    expect(error.code).toBe("corrupt");
    expect(existsSync(file)).toBe(false);
    await push(worker.endpoint, whole);
    expect(await worker.ended).toBe(0);
    expect((await readFile(file)).equals(whole)).toBe(true);
  });

  test("does nothing when the snapshot exists already", async () => {
    const { folder, ...given } = await aReceivingPod();
    await writeFile(join(folder, "snapshot.db"), "verified before");
    const worker = await start(given);
    expect(await worker.ended).toBe(0);
    expect(worker.said()).toContain("already exists");
  });

  test("does nothing once the member was restored", async () => {
    const { folder, ...given } = await aReceivingPod();
    await mkdir(join(folder, "etcd/data/member"), { recursive: true });
    const worker = await start({ ...given, env: { ...given.env, RESTORE_ONCE: "--help" } });
    expect(await worker.ended).toBe(0);
    expect(await readdir(join(folder, "etcd/data"))).toEqual(["member"]);
  });

  test("refuses data that is not its pod's", async () => {
    const { folder, ...given } = await aReceivingPod();
    await mkdir(join(folder, "etcd/data/member"), { recursive: true });
    const worker = await start(given);
    expect(await worker.ended).toBe(1);
    expect(worker.said()).toContain("not restored in this pod");
    expect(await readdir(join(folder, "etcd/data"))).toEqual(["member"]);
  });

  test("that is stopped ends so that nothing comes after it", async () => {
    const { worker } = await aReceiver();
    worker.signal("SIGTERM");
    expect(await worker.ended).toBe(1);
  });

  test("serves nothing else", async () => {
    const { worker } = await aReceiver();
    const store = storeAt(worker.endpoint);
    expect((await storeErrorOf(bytesOf(store.get("snapshot.db")))).code).toBe("invalid");
    expect((await storeErrorOf(store.put("key", text("x")))).code).toBe("corrupt");
  });
});

test.each([[[]], [["serve"]], [["receive", "file"]], [["fly"]]])("%j is answered with how to call it", async (args) => {
  const worker = await start({ args });
  expect(await worker.ended).toBe(2);
  expect(worker.said()).toContain("Usage: etcd-store-worker serve <directory>");
});

async function aReceiver() {
  const { folder, ...given } = await aReceivingPod();
  const worker = await start(given);
  await worker.says("waiting for a snapshot");
  return { worker, file: join(folder, "snapshot.db"), dataDir: join(folder, "etcd/data") };
}

async function aReceivingPod() {
  const folder = await aFolder();
  const args = ["receive", join(folder, "snapshot.db"), join(folder, "etcd/data")];
  return { folder, args, env: { POD_UID: "uid-of-the-pod", RESTORE_ONCE: "--skip-hash-check=false" } };
}

/** Pages of noise and their hash, as far as a receiver looks. */
function aSnapshot(): Buffer {
  const pages = Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * n) % 251));
  return Buffer.concat([pages, createHash("sha256").update(pages).digest()]);
}

async function push(endpoint: WorkerEndpoint, bytes: Buffer, announced?: string): Promise<void> {
  const sha256 = announced ?? createHash("sha256").update(bytes).digest("hex");
  async function* source() {
    yield bytes;
  }
  await pushSnapshot(endpoint, source(), { sizeBytes: bytes.length, sha256, tuning: { firstRetryMs: 10 } });
}

function storeAt(endpoint: WorkerEndpoint) {
  const store = volumeStore(
    { kind: "volume", claimName: "c", ...endpoint },
    { firstRetryMs: 10, partBytes: 1_000_000 },
  );
  onTestFinished(() => store.close());
  return store;
}

async function start(options: WorkerProgramOptions) {
  const worker = await startWorkerProgram(options);
  onTestFinished(() => worker.stop());
  return worker;
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "worker-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
