import { once } from "node:events";
import { constants } from "node:http2";
import { createServer, type Socket } from "node:net";
import { answer, FakeServer, failureOf } from "@etcd-operator/testing/etcd/fake-grpc-server.ts";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Connection } from "./connection.ts";
import { GrpcStatus } from "./grpc-failure.ts";
import type { Limits } from "./limits.ts";
import { DEFAULT_KEEP_ALIVE, type KeepAlive } from "./session.ts";
import { StreamingCall } from "./streaming.ts";
import { unary } from "./unary.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe("Connection", () => {
  test("carries many calls at once over one session", async () => {
    const { server, ask } = await against((stream) => answer(stream, "pong"));
    await Promise.all(Array.from({ length: 50 }, ask));
    expect(server.sessions).toHaveLength(1);
  });

  test("that is closed as soon as its calls are answered ends without an error", async () => {
    const { server, ask, connection } = await against((stream) => answer(stream, "pong"));
    await ask();
    const goodbye = once(server.sessions[0] as NonNullable<(typeof server.sessions)[0]>, "goaway");
    connection.close();
    expect((await goodbye)[0]).toBe(constants.NGHTTP2_NO_ERROR);
  });

  // connect-es#1768: there, this ended the process. Vitest fails the run on any uncaught error.
  test("survives a GOAWAY on an idle connection and opens another one", async () => {
    const { server, ask, connection } = await against((stream) => answer(stream, "pong"));
    await ask();
    const idle = connection.session();
    server.sessions[0]?.goaway(constants.NGHTTP2_NO_ERROR);
    await expect.poll(() => idle.isUsable).toBe(false);
    await ask();
    expect(server.sessions).toHaveLength(2);
  });

  test.each([
    ["an angry GOAWAY", (server: FakeServer) => server.sessions[0]?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM)],
    [
      "a reset",
      (server: FakeServer) => server.sessions[0]?.destroy(new Error("boom"), constants.NGHTTP2_INTERNAL_ERROR),
    ],
    ["an end without a word", (server: FakeServer) => server.sockets[0]?.destroy()],
  ])("survives %s on an idle connection", async (_, harm) => {
    const { server, ask, connection } = await against((stream) => answer(stream, "pong"));
    await ask();
    const idle = connection.session();
    harm(server);
    await expect.poll(() => idle.isUsable).toBe(false);
    expect(Buffer.from(await ask()).toString()).toBe("pong");
  });

  test("lets a call under way finish after GOAWAY while new ones use a new session", async () => {
    const waiting: (() => void)[] = [];
    const { server, ask, connection } = await against((stream) => {
      if (waiting.push(() => answer(stream, "late")) > 1) answer(stream, "new");
    });
    const slow = ask();
    const first = connection.session();
    await expect.poll(() => waiting).toHaveLength(1);
    server.sessions[0]?.goaway(constants.NGHTTP2_NO_ERROR);
    await expect.poll(() => first.isUsable).toBe(false);
    expect(Buffer.from(await ask()).toString()).toBe("new");
    waiting[0]?.();
    expect(Buffer.from(await slow).toString()).toBe("late");
  });

  test("fails what is under way and refuses new calls once it is closed", async () => {
    const { ask, connection, server } = await against(() => {});
    const call = failureOf(ask());
    await expect.poll(() => server.requests).toBe(1);
    connection.close();
    expect((await call).status).toBe(GrpcStatus.canceled);
    expect((await failureOf(ask())).message).toBe("the client was closed");
  });

  // This, too, ended the process: Node says "connect" of a session that was closed while it was connecting.
  test("closing before it ever connected is safe, also when it then connects", async () => {
    const { ask, connection, server } = await against(() => {});
    const call = failureOf(ask());
    connection.close();
    expect((await call).status).toBe(GrpcStatus.canceled);
    await expect.poll(() => server.sockets).toHaveLength(1);
    await expect.poll(() => server.sockets[0]?.destroyed).toBe(true);
  });

  test("gives up on an address that accepts the connection but never speaks TLS", async () => {
    const address = await mutePort();
    const tls = { ca: "" };
    const connection = new Connection({ address, tls }, { ...DEFAULT_KEEP_ALIVE, connectTimeoutMs: 50 });
    cleanups.push(() => connection.close());
    const failure = await failureOf(unary(connection.session(), "/s/m", Buffer.alloc(0), { timeoutMs: 5_000 }));
    expect(failure).toMatchObject({ status: GrpcStatus.unavailable, message: "no connection within 50 ms" });
  });

  test("a call's own deadline and signal hold while the connection is still being made", async () => {
    const connection = new Connection({ address: await mutePort(), tls: { ca: "" } }, DEFAULT_KEEP_ALIVE);
    cleanups.push(() => connection.close());
    const ask = (limits: Limits) => failureOf(unary(connection.session(), "/s/m", Buffer.alloc(0), limits));
    expect((await ask({ timeoutMs: 50 })).status).toBe(GrpcStatus.deadlineExceeded);
    const controller = new AbortController();
    const call = ask({ signal: controller.signal });
    controller.abort();
    expect((await call).status).toBe(GrpcStatus.canceled);
  });

  test("one signal may stop any number of calls without a warning", async () => {
    const warnings: Error[] = [];
    const warn = (warning: Error) => warnings.push(warning);
    process.on("warning", warn);
    const { connection } = await against(() => {});
    const controller = new AbortController();
    const limits = { signal: controller.signal };
    const calls = Array.from({ length: 20 }, () =>
      failureOf(unary(connection.session(), "/s/m", Buffer.alloc(0), limits)),
    );
    controller.abort();
    expect(new Set((await Promise.all(calls)).map(({ status }) => status))).toEqual(new Set([GrpcStatus.canceled]));
    process.off("warning", warn);
    expect(warnings).toEqual([]);
  });

  test("is closed when there was no call for a while, and opened again by the next call", async () => {
    const { server, ask, connection } = await against((stream) => answer(stream, "pong"), {
      pingIntervalMs: 20,
      idleTimeoutMs: 40,
    });
    await ask();
    const first = connection.session();
    await expect.poll(() => first.isUsable).toBe(false);
    await ask();
    expect(server.sessions).toHaveLength(2);
  });

  test("is not closed while a call is open, however silent", async () => {
    const { connection } = await against(() => {}, { pingIntervalMs: 20, idleTimeoutMs: 40 });
    const session = connection.session();
    const ticks = vi.spyOn(performance, "now");
    const call = new StreamingCall(session, "/s/m", {});
    void call
      .messages()
      .next()
      .catch(() => undefined);
    await expect.poll(() => ticks.mock.calls.length).toBeGreaterThan(10);
    ticks.mockRestore();
    expect(session.isUsable).toBe(true);
  });

  test("finds out by pings that the peer of a silent stream is dead", async () => {
    const address = await mutePort(EMPTY_SETTINGS);
    const connection = new Connection({ address }, { ...DEFAULT_KEEP_ALIVE, pingIntervalMs: 50, pingTimeoutMs: 100 });
    cleanups.push(() => connection.close());
    const call = new StreamingCall(connection.session(), "/s/m", {});
    expect((await failureOf(call.messages().next())).message).toBe("the server does not answer pings");
  });

  test("the first call after a long silence finds out that the peer is dead before its own deadline", async () => {
    const address = await mutePort(EMPTY_SETTINGS);
    const connection = new Connection({ address }, { ...DEFAULT_KEEP_ALIVE, pingIntervalMs: 50, pingTimeoutMs: 50 });
    cleanups.push(() => connection.close());
    const ask = () => unary(connection.session(), "/s/m", Buffer.alloc(0), { timeoutMs: 5_000 });
    expect((await failureOf(ask())).status).toBe(GrpcStatus.unavailable);
  });
});

async function against(handler: ConstructorParameters<typeof FakeServer>[0], keepAlive: Partial<KeepAlive> = {}) {
  const server = new FakeServer(handler);
  const connection = new Connection({ address: await server.listen() }, { ...DEFAULT_KEEP_ALIVE, ...keepAlive });
  cleanups.push(
    () => server.close(),
    () => connection.close(),
  );
  // A promise even when there is no session to be had.
  const ask = async () => unary(connection.session(), "/s/m", Buffer.from("ping"), { timeoutMs: 5_000 });
  return { server, connection, ask };
}

// The least an HTTP/2 server says; then it falls silent.
const EMPTY_SETTINGS = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

async function mutePort(greeting?: Buffer): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on("error", () => {}));
    if (greeting) socket.write(greeting);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
}
