import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, test } from "vitest";
import { Health } from "./health.ts";
import { type HealthServer, serveHealth } from "./health-server.ts";
import { LoopMetrics } from "./loop-metrics.ts";

let health: Health;
let server: HealthServer;
const metrics = new LoopMetrics("tests");

beforeEach(async () => {
  health = new Health();
  server = await serveHealth("127.0.0.1:0", { health, metrics });
});
afterEach(() => server.close());

async function get(path: string, method = "GET") {
  const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
  return { status: answer.status, text: await answer.text(), type: answer.headers.get("content-type") };
}

describe("the health endpoints", () => {
  test("say ok when no part complains", async () => {
    health.addReadiness("caches", () => undefined);
    health.addLiveness("loop", () => undefined);
    for (const path of ["/readyz", "/healthz", "/healthz?verbose"]) {
      const { status, text } = await get(path);
      assert.deepEqual([status, text], [200, "ok\n"], path);
    }
  });

  test("say what is not ready, until it is", async () => {
    let complaint: string | undefined = "pods are not listed yet";
    health.addReadiness("clusters", () => complaint);
    const { status, text } = await get("/readyz");
    assert.deepEqual([status, text], [503, "clusters: pods are not listed yet\n"]);
    assert.equal((await get("/healthz")).status, 200);
    complaint = undefined;
    assert.equal((await get("/readyz")).status, 200);
  });

  test("say what hangs", async () => {
    const remove = health.addLiveness("clusters", () => "stuck");
    assert.equal((await get("/healthz")).status, 503);
    assert.equal((await get("/readyz")).status, 200);
    remove();
    assert.equal((await get("/healthz")).status, 200);
  });

  test("serve the metrics as Prometheus reads them", async () => {
    const { status, text, type } = await get("/metrics");
    assert.equal(status, 200);
    assert.match(String(type), /^text\/plain; version=0\.0\.4/);
    assert.match(text, /^process_start_time_seconds \d/m);
  });

  test("answer HEAD without a body, and nothing else", async () => {
    assert.deepEqual([(await get("/healthz", "HEAD")).status, (await get("/healthz", "HEAD")).text], [200, ""]);
    assert.equal((await get("/healthz", "POST")).status, 405);
    assert.equal((await get("/debug")).status, 404);
  });
});

test("on 0.0.0.0 answer over IPv6 as well, as programs in Go do: a pod may have no other address", async () => {
  const everywhere = await serveHealth("0.0.0.0:0", { health, metrics });
  for (const host of ["127.0.0.1", "[::1]"]) {
    assert.equal((await fetch(`http://${host}:${everywhere.port}/healthz`)).status, 200, host);
  }
  await everywhere.close();
});

test("a port that is taken is said to be, with the way out", async () => {
  await assert.rejects(serveHealth(`127.0.0.1:${server.port}`, { health, metrics }), {
    name: "ListenError",
    code: "address-in-use",
    message: /another process listens there.*--listen-addr/,
  });
});

test("an address that is not ours is refused as such", async () => {
  await assert.rejects(serveHealth("192.0.2.1:0", { health, metrics }), { code: "address-unavailable" });
});

test("closing does not wait for those who keep their connection open", async () => {
  const other = await serveHealth("127.0.0.1:0", { health, metrics });
  const socket = connect(other.port, "127.0.0.1").on("error", () => undefined);
  await once(socket, "connect");
  // The rest of the request never comes, and no client may hold a connection for so long.
  socket.write("GET /healthz HTTP/1.1\r\n");
  await (await fetch(`http://127.0.0.1:${other.port}/healthz`)).text();
  await Promise.all([once(socket, "close"), other.close()]);
});
