import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { systemClock } from "@etcd-operator/kubernetes-client";
import type { ObjectStore } from "@etcd-operator/object-store";
import { openStore } from "@etcd-operator/object-store";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { MemoryStore } from "@etcd-operator/testing/objectstore/memory-store.ts";
import { afterEach, beforeEach, describe, test } from "vitest";
import type { TakeDirectly } from "../direct/take-directly.ts";
import { pacedDirectly, pacedStore } from "./paced-store.ts";

const MIB = 2 ** 20;
const PACE = { leastBytes: MIB, windowMs: 400, finishMs: 400 };
const TOO_SLOW = { name: "ObjectStoreError", code: "too-slow", isTransient: true };

async function* source(count: number): AsyncGenerator<Uint8Array> {
  for (let left = count; left > 0; left -= 1) yield Buffer.alloc(MIB);
}

async function sizeOf(bytes: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0;
  for await (const chunk of bytes) size += chunk.length;
  return size;
}

describe("a real server on loopback that moves a byte now and then", () => {
  let server: Server;
  let store: ObjectStore;
  let timers: NodeJS.Timeout[];
  let aborted: number;
  let isCleanUpEndless: boolean;

  beforeEach(async () => {
    [timers, aborted, isCleanUpEndless] = [[], 0, false];
    server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const credentials = "[default]\naws_access_key_id = a\naws_secret_access_key = b\n";
    store = await openStore(
      {
        kind: "s3",
        bucket: "backups",
        endpoint: `http://127.0.0.1:${port}`,
        forcePathStyle: true,
        profile: { credentials, config: "[default]\nregion = us-east-1\n" },
      },
      // Short, as all limits of this test.
      { longestGraceMs: 400, attempts: 1 },
    );
  });
  afterEach(async () => {
    for (const timer of timers) clearInterval(timer);
    await store.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** A header without an end. */
  function drip(socket: Socket): void {
    socket.write("HTTP/1.1 204 No Content\r\nx: ");
    timers.push(setInterval(() => socket.write("x"), 5));
  }

  /** What S3 does: quickly where nothing is transferred, and byte by byte where something is. */
  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, url = "" } = request;
    if (method === "POST") {
      const upload = "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>";
      request.resume().on("end", () => response.writeHead(200, { "content-type": "application/xml" }).end(upload));
    } else if (method === "PUT") timers.push(setInterval(() => request.read(1), 5));
    else if (method === "DELETE") {
      if (url.includes("uploadId=u")) aborted += 1;
      if (isCleanUpEndless) drip(request.socket);
      else response.writeHead(204).end();
    } else if (url.includes("uploadId=u")) response.writeHead(404).end();
    else if (url.includes("uploads")) response.writeHead(200).end("<ListMultipartUploadsResult/>");
    else {
      response.writeHead(200, { "content-length": 64 * MIB, etag: '"a"' });
      timers.push(setInterval(() => response.write("x"), 5));
    }
  }

  test("cannot keep a download", async () => {
    const paced = pacedStore(store, systemClock, PACE);
    await assert.rejects(sizeOf(paced.get("nightly")), {
      ...TOO_SLOW,
      message: /^get 'nightly' from .*bytes transferred within 0\.4 s, fewer than 1048576: aborted/,
    });
  });

  test("cannot keep an upload in parts, which is removed again", async () => {
    const paced = pacedStore(store, systemClock, PACE);
    await assert.rejects(paced.put("nightly", source(64), { expectedBytes: 64 * MIB }), {
      ...TOO_SLOW,
      message: /^put 'nightly' to .*bytes transferred within 0\.4 s/,
    });
    assert.equal(aborted, 1);
  });

  test("cannot keep the operator by an endless answer when it cleans up", async () => {
    isCleanUpEndless = true;
    const paced = pacedStore(store, systemClock, PACE);
    await assert.rejects(paced.put("nightly", source(64), { expectedBytes: 64 * MIB }), TOO_SLOW);
    assert.equal(aborted, 1);
  });

  test("cannot keep an upload of which all was read", async () => {
    const paced = pacedStore(store, systemClock, PACE);
    await assert.rejects(paced.put("nightly", source(4)), { ...TOO_SLOW, message: /not completed 0\.4 s after/ });
  });
});

describe("a store at the least rate", () => {
  test("keeps and gives what it is given, and leaves no timer", async () => {
    const [clock, memory] = [new FakeClock(), new MemoryStore()];
    const paced = pacedStore(memory, clock);
    await paced.put("nightly", source(3));
    assert.equal(await sizeOf(paced.get("nightly")), 3 * MIB);
    assert.equal((await paced.stat("nightly"))?.sizeBytes, 3 * MIB);
    await paced.delete("nightly");
    assert.deepEqual([memory.objects.size, clock.pendingMs], [0, []]);
  });

  test("is not to blame for a reader that takes an hour for a piece", async () => {
    const [clock, memory] = [new FakeClock(), new MemoryStore()];
    const paced = pacedStore(memory, clock);
    await paced.put("nightly", source(3));
    let size = 0;
    for await (const chunk of paced.get("nightly")) {
      size += chunk.length;
      await clock.advance(3_600_000);
    }
    assert.equal(size, 3 * MIB);
  });

  test("passes on why a source failed, and that the caller cancelled", async () => {
    const paced = pacedStore(new MemoryStore(), new FakeClock());
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(1);
      throw new Error("the connection broke");
    }
    await assert.rejects(paced.put("nightly", broken()), /the connection broke/);
    const cancelled = new AbortController();
    cancelled.abort();
    await assert.rejects(paced.put("nightly", source(1), { signal: cancelled.signal }), (error) => {
      return error === cancelled.signal.reason;
    });
  });

  test("ends a member that gives a volume a few bytes now and then", async () => {
    const clock = new FakeClock();
    const slow: TakeDirectly = ({ onProgress }, signal) =>
      new Promise((_, reject) => {
        onProgress(5);
        signal.addEventListener("abort", () => reject(new Error("cancelled")));
      });
    const seen: number[] = [];
    const taking = {
      order: { endpoint: { address: "a:2379" }, clusterId: 1n, memberId: 1n, dbSizeBytes: 1 },
      key: "nightly",
      onProgress: (bytes: number) => seen.push(bytes),
      beforeEnd: async () => undefined,
    };
    const { signal } = new AbortController();
    const ended = assert.rejects(pacedDirectly(slow, clock)(taking, signal), TOO_SLOW);
    await clock.advance(300_000);
    await ended;
    assert.deepEqual([seen, clock.pendingMs], [[5], []]);
  });
});
