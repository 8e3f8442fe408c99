import assert from "node:assert/strict";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, test } from "vitest";
import { Health } from "./health.ts";
import { createLogger } from "./logger.ts";
import { LoopMetrics } from "./loop-metrics.ts";
import { serveHealthOnSharedPort } from "./shared-port.ts";

/** A program of ours; `complaint` is what its /readyz says. */
async function program(address: string, complaint?: string) {
  const [clock, health, lines] = [new FakeClock(), new Health(), [] as string[]];
  health.addReadiness("it", () => complaint);
  const logger = createLogger({ write: (line) => lines.push(line) });
  const after = (ms: number, run: () => void) => clock.after(ms, run);
  const server = await serveHealthOnSharedPort(
    address,
    { health, metrics: new LoopMetrics("tests") },
    { logger, after },
  );
  return { server, clock, lines };
}

async function foreign(answer: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

describe("a port that is taken", () => {
  test("by another program of the operator is left to it, and taken over when that one ends", async () => {
    const first = await program("127.0.0.1:0");
    const address = `127.0.0.1:${first.server.port}`;
    const second = await program(address, "second");
    assert.equal(second.server.port, undefined);
    assert.match(second.lines.join(), /another program of the operator serves .*--listen-addr/);
    assert.equal((await fetch(`http://${address}/readyz`)).status, 200);
    await second.clock.advance(5_000);
    await first.server.close();
    await second.clock.advance(5_000);
    await until(async () => second.server.port !== undefined, { what: "the second to listen" });
    assert.match(await (await fetch(`http://${address}/readyz`)).text(), /second/);
    assert.equal(second.lines.length, 2);
    await second.server.close();
    assert.deepEqual(second.clock.pendingMs, []);
  });

  test.each(["0.0.0.0", "[::]", ""])("is recognised when programs listen on all addresses, as '%s'", async (host) => {
    const first = await program(`${host}:0`);
    const second = await program(`${host}:${first.server.port}`);
    assert.equal(second.server.port, undefined);
    await Promise.all([first.server.close(), second.server.close()]);
  });

  test("is no longer waited for when the program ends", async () => {
    const first = await program("127.0.0.1:0");
    const second = await program(`127.0.0.1:${first.server.port}`);
    await second.server.close();
    assert.deepEqual(second.clock.pendingMs, []);
    await first.server.close();
  });

  test.each<[string, RequestListener]>([
    ["answers", (_, response) => response.end("ok\n")],
    ["says nothing", () => undefined],
  ])("by a foreign program that %s is an error that says what to do", async (_, answer) => {
    const { server, port } = await foreign(answer);
    const starting = program(`127.0.0.1:${port}`);
    await assert.rejects(starting, { code: "address-in-use", message: /another process .*--listen-addr/ });
    server.closeAllConnections();
    server.close();
  });
});
