import { constants } from "node:http2";
import { answer, FakeServer, failureOf } from "@etcd-operator/testing/etcd/fake-grpc-server.ts";
import { afterEach, describe, expect, test } from "vitest";
import { Connection } from "./connection.ts";
import { frame } from "./frame.ts";
import { GrpcStatus } from "./grpc-failure.ts";
import type { Limits } from "./limits.ts";
import { DEFAULT_KEEP_ALIVE } from "./session.ts";
import { unary } from "./unary.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe("unary", () => {
  test("gives the one message of the answer", async () => {
    const { ask } = await against((stream) => answer(stream, "pong"));
    expect(Buffer.from(await ask()).toString()).toBe("pong");
  });

  test("reads a refusal that comes without any message, and decodes its text", async () => {
    const { ask } = await against((stream) => {
      stream.respond({ ":status": 200, "grpc-status": "9", "grpc-message": "no%20way" }, { endStream: true });
    });
    expect(await failureOf(ask())).toMatchObject({ status: GrpcStatus.failedPrecondition, message: "no way" });
  });

  test("takes no status for a broken connection, not for an answer", async () => {
    const { ask } = await against((stream) => {
      stream.respond({ ":status": 200 });
      stream.write(frame(Buffer.from("half an answer")));
      stream.end();
    });
    expect((await failureOf(ask())).status).toBe(GrpcStatus.unavailable);
  });

  test("reports a server that closes the connection mid-answer as unavailable, and asks only once", async () => {
    const { ask, server } = await against((stream) => {
      stream.respond({ ":status": 200 });
      stream.write(frame(Buffer.from("partial")), () => stream.session?.destroy());
    });
    expect((await failureOf(ask())).status).toBe(GrpcStatus.unavailable);
    expect(server.requests).toBe(1);
  });

  test("does not repeat a call that the server refused before processing it", async () => {
    const { ask, server } = await against((stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM));
    expect((await failureOf(ask())).status).toBe(GrpcStatus.unavailable);
    expect(server.requests).toBe(1);
  });

  test("says what it found when the port speaks HTTP but not gRPC", async () => {
    const { ask } = await against((stream) => stream.respond({ ":status": 404 }, { endStream: true }));
    expect((await failureOf(ask())).message).toBe("the server answered HTTP 404; is this an etcd client port?");
  });

  test("refuses an answer without, or with more than one, message", async () => {
    const { ask } = await against((stream) => answer(stream, "one", "two"));
    expect((await failureOf(ask())).status).toBe(GrpcStatus.internal);
  });

  test("refuses an answer that announces more than it may have, before any of it has come", async () => {
    const { ask, server } = await against((stream) => {
      stream.respond({ ":status": 200 });
      stream.write(Buffer.from([0, 0x40, 0, 0, 0]));
    });
    expect(await failureOf(ask())).toMatchObject({ status: GrpcStatus.resourceExhausted });
    // The connection goes with it: what a liar sends on a stream that is over would still have to be read.
    await expect.poll(() => server.sessions.every((session) => session.destroyed)).toBe(true);
  });

  test("takes as large an answer as the caller says", async () => {
    const { ask } = await against((stream) => answer(stream, "four"));
    expect(Buffer.from(await ask({ timeoutMs: 5_000, mostBytes: 4 })).toString()).toBe("four");
    expect((await failureOf(ask({ timeoutMs: 5_000, mostBytes: 3 }))).status).toBe(GrpcStatus.resourceExhausted);
  });

  test("refuses the second message of an answer that never ends, and keeps no count of the others", async () => {
    const empty = Buffer.alloc(5 * 10_000);
    let written = 0;
    const { ask, server } = await against((stream) => {
      stream.respond({ ":status": 200 });
      const flood = () => {
        while (written < 64 << 20 && stream.write(empty)) written += empty.length;
      };
      stream.on("drain", flood);
      flood();
    });
    expect(await failureOf(ask())).toMatchObject({ status: GrpcStatus.internal, message: /got more/ });
    await expect.poll(() => server.sessions.every((session) => session.destroyed)).toBe(true);
    expect(written).toBeLessThan(64 << 20);
  });

  test("keeps no more of a server's message than a person would read", async () => {
    const { ask } = await against((stream) => {
      stream.respond({ ":status": 200, "grpc-status": "9", "grpc-message": "x".repeat(16_000) }, { endStream: true });
    });
    expect((await failureOf(ask())).message).toHaveLength(1_000);
  });

  test("gives up at the deadline and tells the server so", async () => {
    const codes: number[] = [];
    const { ask } = await against((stream) => stream.on("close", () => codes.push(stream.rstCode)));
    expect((await failureOf(ask({ timeoutMs: 50 }))).status).toBe(GrpcStatus.deadlineExceeded);
    await expect.poll(() => codes).toEqual([constants.NGHTTP2_CANCEL]);
  });

  test("gives up when the signal fires, with the signal's reason as the cause", async () => {
    const controller = new AbortController();
    const { ask } = await against(() => controller.abort("shutting down"));
    const failure = await failureOf(ask({ signal: controller.signal }));
    expect(failure).toMatchObject({ status: GrpcStatus.canceled, cause: "shutting down" });
  });

  test("sends nothing when the signal has fired before", async () => {
    const { ask, server } = await against((stream) => answer(stream, "pong"));
    expect((await failureOf(ask({ signal: AbortSignal.abort() }))).status).toBe(GrpcStatus.canceled);
    await ask();
    expect(server.requests).toBe(1);
  });

  test("names the cause when nothing listens at the address", async () => {
    const { ask, server } = await against(() => {});
    await server.close();
    const failure = await failureOf(ask());
    expect(failure.status).toBe(GrpcStatus.unavailable);
    expect(failure.message).toMatch(/ECONNREFUSED/);
  });
});

async function against(handler: ConstructorParameters<typeof FakeServer>[0]) {
  const server = new FakeServer(handler);
  const address = await server.listen();
  const connection = new Connection({ address }, DEFAULT_KEEP_ALIVE);
  cleanups.push(
    () => server.close(),
    () => connection.close(),
  );
  const ask = (limits: Limits = { timeoutMs: 5_000 }) =>
    unary(connection.session(), "/test.Service/Method", Buffer.from("ping"), limits);
  return { server, connection, ask };
}
