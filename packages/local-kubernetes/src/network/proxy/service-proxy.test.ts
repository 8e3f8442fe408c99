import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { until } from "@etcd-operator/testing/until.ts";
import { afterEach, beforeEach, describe, test } from "vitest";
import { freePorts } from "../../processes/free-ports.ts";
import type { Backend } from "./forward.ts";
import { ServiceProxy, shuffled } from "./service-proxy.ts";

let proxy: ServiceProxy;
let port: number;
let cleanUp: (() => void)[];

beforeEach(async () => {
  [port = 0] = await freePorts(1);
  cleanUp = [];
  proxy = new ServiceProxy({ log: () => undefined, connectTimeoutMs: 200, retryMs: 10 });
});

afterEach(async () => {
  for (const clean of cleanUp) clean();
  await proxy.close();
});

describe("a connection to a Service", () => {
  test("reaches each of the backends", async () => {
    route(await aServer((socket) => socket.end("one")), await aServer((socket) => socket.end("two")));
    const seen = new Set<string>();
    await until(async () => seen.add(await text(await dial())).size === 2, { what: "both backends", everyMs: 1 });
  });

  test("is refused when there is no backend, and again once there is none any more", async () => {
    proxy.setRoutes("ns/web", new Map([[`127.0.0.1:${port}`, []]]));
    await assert.rejects(dial(), { code: "ECONNREFUSED" });
    route(await aServer((socket) => socket.end("one")));
    assert.equal(await text(await dial()), "one");
    proxy.setRoutes("ns/web", new Map());
    await assert.rejects(dial(), { code: "ECONNREFUSED" });
    assert.deepEqual(proxy.addresses, []);
  });

  test("goes to another backend when one is dead, and no byte is lost", async () => {
    const [dead = 0] = await freePorts(1);
    const echo = await aServer((socket) => socket.pipe(socket));
    route(...Array<Backend>(5).fill({ ip: "127.0.0.1", port: dead }), echo);
    for (let round = 0; round < 10; round += 1) {
      const socket = await dial();
      socket.end("every byte");
      assert.equal(await text(socket), "every byte");
    }
  });

  test("is reset when every backend is dead", async () => {
    const [dead = 0] = await freePorts(1);
    route({ ip: "127.0.0.1", port: dead });
    const socket = await dial();
    await assert.rejects(text(socket), { code: "ECONNRESET" });
  });

  test("may be closed in one direction only", async () => {
    const backend = await aServer((socket) => {
      const asked: Buffer[] = [];
      socket.on("data", (chunk) => asked.push(chunk)).on("end", () => socket.end(`${Buffer.concat(asked)}? yes`));
    });
    route(backend);
    const socket = await dial();
    socket.end("over");
    assert.equal(await text(socket), "over? yes");
  });

  test("ends with a reset on one side when the other side is reset", async () => {
    route(await aServer((socket) => socket.once("data", () => socket.resetAndDestroy())));
    const socket = await dial();
    socket.write("hello");
    await assert.rejects(text(socket), { code: "ECONNRESET" });

    const [accepted, backend] = await acceptOne();
    route(backend);
    const client = await dial();
    client.write("hello");
    const peer = await accepted;
    await once(peer, "data");
    client.resetAndDestroy();
    await assert.rejects(once(peer, "end"), { code: "ECONNRESET" });
  });

  test("outlives the change of its Service", async () => {
    route(await aServer((socket) => socket.pipe(socket)));
    const socket = await dial();
    socket.write("a");
    await once(socket, "data");
    proxy.setRoutes("ns/web", new Map());
    socket.write("b");
    const [answer] = (await once(socket, "data")) as [Buffer];
    assert.equal(answer.toString(), "b");
    socket.destroy();
  });

  test("slows the sender down while the receiver does not read", async () => {
    const [accepted, backend] = await acceptOne();
    route(backend);
    const socket = await dial();
    const receiver = await accepted;
    receiver.pause();
    const total = 64 * 1024 * 1024;
    let sent = 0;
    const chunk = Buffer.alloc(256 * 1024, "x");
    while (sent < total && socket.write(chunk)) sent += chunk.length;
    assert.ok(sent < total, "the sender was never slowed down");
    socket.end();
    assert.equal((await buffer(receiver)).length, sent + chunk.length);
    receiver.end();
  });
});

test("an address that is taken is served as soon as it is free", async () => {
  const other = createServer().listen(port, "127.0.0.1");
  await once(other, "listening");
  route(await aServer((socket) => socket.end("mine")));
  await once(other.close(), "close");
  assert.equal(await until(async () => text(await dial()), { what: "the address to be served", everyMs: 5 }), "mine");
});

function route(...backends: Backend[]): void {
  proxy.setRoutes("ns/web", new Map([[`127.0.0.1:${port}`, backends]]));
}

async function dial(): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  cleanUp.push(() => socket.destroy());
  await once(socket, "connect");
  return socket;
}

async function aServer(serve: (socket: Socket) => void): Promise<Backend> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    cleanUp.push(() => socket.destroy());
    socket.on("error", () => undefined);
    serve(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUp.push(() => server.close());
  return { ip: "127.0.0.1", port: (server.address() as AddressInfo).port };
}

async function acceptOne(): Promise<[Promise<Socket>, Backend]> {
  let accept: (socket: Socket) => void = () => undefined;
  const accepted = new Promise<Socket>((resolve) => {
    accept = resolve;
  });
  return [accepted, await aServer(accept)];
}

test("everything comes once, in the order that chance decides", () => {
  const things = ["a", "b", "c", "d"];
  assert.deepEqual(shuffled(things, Math.random).sort(), things);
  assert.deepEqual(
    shuffled(things, () => 0),
    ["b", "c", "d", "a"],
  );
});
