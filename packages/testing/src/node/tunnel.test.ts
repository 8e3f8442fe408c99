import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished, test } from "vitest";
import { openTunnel, serveTunnel } from "./tunnel.ts";

test("what is written on one side arrives on the other, and back, until one side ends", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tunnel-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const echo = createServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
  onTestFinished(() => void echo.close());
  await once(echo, "listening");
  const path = join(folder, "socket");
  await serveTunnel(path);
  const tunnel = await openTunnel(path, `127.0.0.1:${(echo.address() as AddressInfo).port}`);
  onTestFinished(() => tunnel.close());
  const client = createConnection({ port: tunnel.port, host: "127.0.0.1", allowHalfOpen: true });
  client.end("x".repeat(1_000_000));
  assert.equal((await text(client)).length, 1_000_000);
});

test("a connection to an address that refuses is closed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tunnel-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, "socket");
  await serveTunnel(path);
  const tunnel = await openTunnel(path, "127.0.0.1:1");
  onTestFinished(() => tunnel.close());
  const client = createConnection({ port: tunnel.port, host: "127.0.0.1" });
  client.on("error", () => undefined);
  await once(client, "close");
});
