import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { isDefragmenting } from "./defragmentation.ts";

const QUESTION = { timeoutMs: 2_000, signal: new AbortController().signal };
const page = (value: number) =>
  [
    "# HELP etcd_disk_defrag_inflight Whether or not defrag is active on the member. 1 means active, 0 means not.",
    "# TYPE etcd_disk_defrag_inflight gauge",
    `etcd_disk_defrag_inflight ${value}`,
    "etcd_disk_wal_fsync_duration_seconds_count 7\n",
  ].join("\n");

describe("whether a member is defragmenting its database", () => {
  test("is in its metrics", async () => {
    expect(await askedOf(page(1))).toBe(true);
    expect(await askedOf(page(0))).toBe(false);
  });

  test("is found behind a page of other metrics, wherever it is cut into pieces", async () => {
    const others = "go_memstats_x 1\n".repeat(20_000);
    const whole = `${others}${page(1)}`;
    for (const at of [whole.length - 60, whole.length - 70, whole.length - 80]) {
      const address = await served((_, response) => {
        response.write(whole.slice(0, at));
        setImmediate(() => response.end(whole.slice(at)));
      });
      expect(await isDefragmenting(address, QUESTION)).toBe(true);
    }
  });

  test("is not known of one that does not say so: an older etcd, a refusal, another program, no program at all", async () => {
    expect(await askedOf("")).toBe(false);
    expect(await askedOf("etcd_disk_defrag_inflight_total 1\n")).toBe(false);
    expect(await isDefragmenting(await served((_, response) => response.writeHead(403).end(page(1))), QUESTION)).toBe(
      false,
    );
    expect(await isDefragmenting("127.0.0.1:1", QUESTION)).toBe(false);
  });

  test("nor of one that is silent, or never comes to an end", async () => {
    const brief = { ...QUESTION, timeoutMs: 100 };
    expect(await isDefragmenting(await served(() => undefined), brief)).toBe(false);
    const endless: RequestListener = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    };
    expect(await isDefragmenting(await served(endless), { ...QUESTION, timeoutMs: 60_000 })).toBe(false);
  });

  test("the caller's own end is passed on", async () => {
    const address = await served(() => undefined);
    await expect(isDefragmenting(address, { timeoutMs: 2_000, signal: AbortSignal.abort() })).rejects.toThrow();
  });
});

async function askedOf(text: string): Promise<boolean> {
  return isDefragmenting(await served((_, response) => response.end(text)), QUESTION);
}

async function served(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
