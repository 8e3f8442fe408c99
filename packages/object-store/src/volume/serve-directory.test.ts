import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { connect } from "node:tls";
import { selfSignedCertificate } from "@etcd-operator/operator/transfer/trust/self-signed-certificate.ts";
import { bytesOf, content, storeErrorOf, text } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveDirectory } from "./serve-directory.ts";
import { volumeStore } from "./volume-store.ts";

const TOKEN = "the-token-of-this-test";

describe("a worker answers only who knows the token", () => {
  test.each([
    ["says nothing", {}],
    ["says something else", { authorization: "Bearer the-token-of-another" }],
    ["says the token in another way", { authorization: TOKEN }],
    ["says a part of it", { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ["says more than it", { authorization: `Bearer ${TOKEN}x` }],
  ])("and not who %s", async (_, headers) => {
    const worker = await aWorker();
    await writeFile(join(worker.directory, "key"), "something");
    for (const path of ["/", "/object?key=key", "/objects?prefix=", "/nowhere"]) {
      expect(await worker.ask("GET", path, headers)).toMatchObject({ status: 401, body: { code: "bad-credentials" } });
    }
    expect(await worker.ask("DELETE", "/object?key=key", headers)).toMatchObject({ status: 401 });
    expect(await readdir(worker.directory)).toEqual(["key"]);
  });
});

describe("a worker refuses", () => {
  const known = { authorization: `Bearer ${TOKEN}` };
  test.each([
    ["what it does not know", "GET", "/etc/passwd"],
    ["to list as if it were a number", "GET", "/objects?prefix=&limit=many"],
    ["a negative place", "GET", "/object?key=key&offset=-1"],
    ["an upload whose name could lead somewhere", "PUT", "/upload?id=../../etc/passwd&offset=0"],
    ["an upload without a name", "POST", "/upload?size=1&key=a"],
    ["a key that no file can have", "GET", "/stat?key="],
  ])("%s", async (_, method, path) => {
    const worker = await aWorker();
    await writeFile(join(worker.directory, "key"), "something");
    expect(await worker.ask(method, path, known)).toMatchObject({ status: 400, body: { code: "invalid" } });
  });
});

describe("a client", () => {
  test("trusts no certificate but its worker's, also at the right address", async () => {
    const [worker, other] = [await aWorker(), await aWorker()];
    const store = worker.store({ address: `127.0.0.1:${other.port}` });
    const error = await storeErrorOf(store.stat("key"));
    expect(error.code).toBe("unavailable");
  });

  test("speaks TLS 1.3", async () => {
    const { port, cert } = await aWorker();
    const socket = connect({ host: "127.0.0.1", port, ca: cert, checkServerIdentity: () => undefined });
    await once(socket, "secureConnect");
    expect(socket.getProtocol()).toBe("TLSv1.3");
    socket.destroy();
    const old = connect({ host: "127.0.0.1", port, rejectUnauthorized: false, maxVersion: "TLSv1.2" });
    await expect(once(old, "secureConnect")).rejects.toThrow();
  });

  test("is told when the worker ends in the middle of a put, and nothing is left", async () => {
    const worker = await aWorker();
    async function* source() {
      yield* content(6_000_000);
      await worker.close();
      yield* content(6_000_000);
    }
    expect((await storeErrorOf(worker.store().put("key", source()))).isTransient).toBe(true);
    expect(await readdir(join(worker.directory, ".etcd-store-worker"))).toEqual([]);
  });

  test("reads on from the worker that comes after it, and puts nothing that lacks its beginning", async () => {
    const worker = await aWorker();
    await worker.store().put("key", content(3_000_000));
    let restarted: Promise<void> | undefined;
    async function* source() {
      yield* content(5_000_000);
      restarted = worker.restart();
      await restarted;
      yield* content(5_000_000);
    }
    expect(await storeErrorOf(worker.store().put("other", source()))).toMatchObject({ isTransient: true });
    await restarted;
    expect(await worker.store().stat("other")).toBeUndefined();
    expect(await bytesOf(worker.store().get("key"))).toHaveLength(3_000_000);
  });
});

describe("a worker without requests", () => {
  test("is idle after a while", async () => {
    const worker = await aWorker({ idleMs: 100 });
    await worker.store().put("key", text("something"));
    await expect(worker.idle).resolves.toBeUndefined();
  });

  test("is not kept awake by strangers", async () => {
    const worker = await aWorker({ idleMs: 100 });
    let isIdle = false;
    void worker.idle.then(() => {
      isIdle = true;
    });
    const strangersKeepAsking = async () => {
      await worker.ask("GET", "/", {});
      return isIdle;
    };
    await until(strangersKeepAsking, { what: "the worker to be idle", everyMs: 20 });
  });
});

test("what is replaced, deleted or listed by others meanwhile does not matter", async () => {
  const worker = await aWorker();
  const store = worker.store();
  const rounds = Array.from({ length: 8 }, async (_, n) => {
    for (let round = 0; round < 10; round += 1) {
      await store.put("folder/key", text(`${n}`));
      await store.delete("folder/key");
      for await (const { key } of store.list("folder/")) expect(key).toBe("folder/key");
    }
  });
  await Promise.all(rounds);
  expect(await store.stat("folder/key")).toBeUndefined();
});

async function aWorker({ idleMs = 600_000 } = {}) {
  const directory = await mkdtemp(join(tmpdir(), "served-"));
  const { cert, key } = selfSignedCertificate({
    name: "worker",
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
  });
  const settings = { directory, cert, key, token: TOKEN, host: "127.0.0.1", idleMs };
  let served = await serveDirectory({ ...settings, port: 0 });
  const { port, idle } = served;
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await served.close();
    isClosed = true;
  };
  onTestFinished(async () => {
    await close();
    await rm(directory, { recursive: true });
  });
  return {
    ...{ directory, port, cert, idle, close },
    /** Ends it, and starts another one in its place. */
    async restart() {
      await served.close();
      served = await serveDirectory({ ...settings, port });
    },
    store({ address = `127.0.0.1:${port}` } = {}) {
      const tuning = { attempts: 2, firstRetryMs: 10, partBytes: 1_000_000 };
      const store = volumeStore({ kind: "volume", claimName: "c", address, certificate: cert, token: TOKEN }, tuning);
      onTestFinished(() => store.close());
      return store;
    },
    async ask(method: string, path: string, headers: Record<string, string>) {
      const asked = request({
        host: "127.0.0.1",
        port,
        method,
        path,
        headers,
        ca: cert,
        checkServerIdentity: () => undefined,
      });
      asked.end();
      const [response] = await once(asked, "response");
      return { status: response.statusCode as number, body: (await json(response)) as unknown };
    },
  };
}
