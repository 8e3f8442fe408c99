import { errorOf } from "@etcd-operator/testing/etcd/error-of.ts";
import { type EtcdProcess, startEtcd } from "@etcd-operator/testing/etcd-process.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectEtcd, type EtcdClient } from "./etcd-client.ts";
import { prefixEnd } from "./key-value.ts";
import type { Watch, WatchEvent, WatchMessage, WatchRequest } from "./watch.ts";

let etcd: EtcdProcess;
let client: EtcdClient;
beforeAll(async () => {
  etcd = await startEtcd({ version: "3.5.16", flags: ["--experimental-watch-progress-notify-interval=100ms"] });
  client = connectEtcd({ address: new URL(etcd.clientUrl).host });
});
afterAll(async () => {
  client?.close();
  await etcd?.stop();
});

describe("watch", () => {
  test("says that it stands, then tells what happens", async () => {
    const watching = start({ key: "w/", rangeEnd: prefixEnd("w/") });
    const created = await watching.next();
    expect(created.kind).toBe("created");
    const put = await client.put({ key: "w/a", value: "1" });
    expect(await watching.next()).toMatchObject({ kind: "events", revision: put.revision });
    expect(put.revision).toBe(created.revision + 1n);
    const gone = await client.delete({ key: "w/a" });
    const message = await watching.next();
    expect(eventsOf(message)).toMatchObject([{ kind: "delete", keyValue: { modRevision: gone.revision } }]);
    await watching.end();
  });

  test("starts in the past and gives every revision once, in order, previous values included", async () => {
    const { revision } = await client.put({ key: "past", value: "0" });
    for (const value of ["1", "2"]) await client.put({ key: "past", value });
    const watching = start({ key: "past", startRevision: revision + 1n, withPrevious: true });
    await watching.next();
    const events: WatchEvent[] = [];
    while (events.length < 2) events.push(...eventsOf(await watching.next()));
    expect(events.map(({ keyValue, previous }) => [text(keyValue.value), text(previous?.value)])).toEqual([
      ["1", "0"],
      ["2", "1"],
    ]);
    await watching.end();
  });

  test("joins what the server sends in fragments, so that a transaction arrives whole", async () => {
    const { revision } = await client.put({ key: "frag/", value: "" });
    const value = Buffer.alloc(300_000, "x");
    // Each fits into a request, all of them together do not fit into one watch answer.
    for (const round of [1, 2, 3]) {
      const success = [1, 2, 3, 4].map((n) => ({ kind: "put" as const, key: `frag/${round}/${n}`, value }));
      await client.transaction({ compare: [], success });
    }
    const watching = start({ key: "frag/", rangeEnd: prefixEnd("frag/"), startRevision: revision + 1n });
    await watching.next();
    const perRevision = new Map<bigint, number>();
    let last = 0n;
    while (last < revision + 3n) {
      const message = await watching.next();
      for (const { keyValue } of eventsOf(message)) {
        expect(keyValue.modRevision).toBeGreaterThan(last);
        perRevision.set(keyValue.modRevision, (perRevision.get(keyValue.modRevision) ?? 0) + 1);
      }
      last = message.revision;
    }
    expect([...perRevision.values()]).toEqual([4, 4, 4]);
    await watching.end();
  });

  test("reports progress while nothing happens, when asked to at the start", async () => {
    const watching = start({ key: "quiet", progressNotify: true });
    const { revision } = await watching.next();
    const message = await watching.next();
    expect(message).toEqual({ kind: "progress", revision });
    await watching.end();
  });

  test("reports progress on request", async () => {
    const watching = start({ key: "asked" });
    await watching.next();
    const { revision } = await client.put({ key: "other", value: "" });
    const message = watching.next();
    watching.requestProgress();
    expect(await message).toEqual({ kind: "progress", revision });
    await watching.end();
  });

  test("ends with the oldest revision left when its start was compacted away", async () => {
    const { revision } = await client.put({ key: "old", value: "1" });
    const newer = await client.put({ key: "old", value: "2" });
    await client.compact(newer.revision);
    const watching = start({ key: "old", startRevision: revision });
    await watching.next();
    const error = await errorOf(watching.next());
    expect([error.code, error.compactRevision]).toEqual(["compacted", newer.revision]);
  });

  test("ends with 'canceled' when its signal fires", async () => {
    const controller = new AbortController();
    const watching = start({ key: "aborted" }, controller.signal);
    await watching.next();
    const next = errorOf(watching.next());
    controller.abort();
    expect((await next).code).toBe("canceled");
  });

  test("leaving the loop ends it on the server", async () => {
    for await (const message of client.watch({ key: "left" })) {
      expect(message.kind).toBe("created");
      await expect.poll(openWatches).toBe(1);
      break;
    }
    await expect.poll(openWatches).toBe(0);
  });
});

function start(request: WatchRequest, signal?: AbortSignal) {
  const watch: Watch = client.watch(request, signal ? { signal } : {});
  const messages = watch[Symbol.asyncIterator]();
  return {
    requestProgress: () => watch.requestProgress(),
    next: async (): Promise<WatchMessage> => {
      const { value, done } = await messages.next();
      if (done) throw new Error("the watch ended");
      return value;
    },
    end: async () => {
      await messages.return?.();
    },
  };
}

async function openWatches(): Promise<number> {
  const metrics = await (await fetch(`${etcd.clientUrl}/metrics`)).text();
  return Number(/^etcd_debugging_mvcc_watcher_total (\d+)$/m.exec(metrics)?.[1]);
}

function eventsOf(message: WatchMessage): readonly WatchEvent[] {
  return message.kind === "events" ? message.events : [];
}

function text(value: Uint8Array | undefined): string {
  return Buffer.from(value ?? []).toString();
}
