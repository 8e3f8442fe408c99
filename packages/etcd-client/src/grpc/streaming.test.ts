import type { ServerHttp2Stream } from "node:http2";
import { answer, FakeServer, failureOf } from "@etcd-operator/testing/etcd/fake-grpc-server.ts";
import { afterEach, describe, expect, test } from "vitest";
import { Connection } from "./connection.ts";
import { frame } from "./frame.ts";
import { GrpcStatus } from "./grpc-failure.ts";
import type { Limits } from "./limits.ts";
import { DEFAULT_KEEP_ALIVE } from "./session.ts";
import { StreamingCall } from "./streaming.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe("StreamingCall", () => {
  test("yields every message and ends when the server says OK", async () => {
    const open = await against((stream) => answer(stream, "a", "b", "c"));
    expect(await collect(open())).toEqual(["a", "b", "c"]);
  });

  test("yields what came, then fails, when the server ends with an error", async () => {
    const open = await against((stream) => {
      stream.respond({ ":status": 200 }, { waitForTrailers: true });
      stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "14", "grpc-message": "gone" }));
      stream.end(frame(Buffer.from("a")));
    });
    const messages = open().messages();
    expect((await messages.next()).done).toBe(false);
    expect(await failureOf(messages.next())).toMatchObject({ status: GrpcStatus.unavailable, message: "gone" });
  });

  test("never takes a cut-off stream for a complete one", async () => {
    const open = await against((stream, server) => {
      stream.respond({ ":status": 200 });
      stream.write(frame(Buffer.from("a")), () => server.sockets[0]?.destroy());
    });
    expect((await failureOf(collect(open()))).status).toBe(GrpcStatus.unavailable);
  });

  test("sends messages while it reads", async () => {
    const open = await against((stream) => {
      stream.respond({ ":status": 200 });
      stream.on("data", (chunk: Buffer) => stream.write(chunk));
    });
    const call = open();
    const messages = call.messages();
    for (const text of ["first", "second"]) {
      call.send(Buffer.from(text));
      const { value } = await messages.next();
      expect(Buffer.from(value ?? []).toString()).toBe(text);
    }
    await messages.return();
  });

  test("leaving the loop ends the call on the server, too", async () => {
    let ended = false;
    const open = await against((stream) => {
      stream.on("close", () => {
        ended = true;
      });
      stream.respond({ ":status": 200 });
      stream.write(frame(Buffer.from("a")));
    });
    for await (const _ of open().messages()) break;
    await expect.poll(() => ended).toBe(true);
  });

  test("a reader that stops reading stops the server from sending", async () => {
    let sent = 0;
    const open = await against((stream) => {
      stream.respond({ ":status": 200 });
      pour(stream, Buffer.alloc(64 << 10), () => {
        sent += 64 << 10;
      });
    });
    const messages = open().messages();
    await messages.next();
    await stays(() => sent);
    expect(sent).toBeLessThan(4 << 20);
    await messages.return();
  });

  test("ends with the reason when the signal fires while nothing arrives", async () => {
    const controller = new AbortController();
    const open = await against((stream) => stream.respond({ ":status": 200 }));
    const next = failureOf(open({ signal: controller.signal }).messages().next());
    controller.abort();
    expect((await next).status).toBe(GrpcStatus.canceled);
  });

  test("ends at its deadline", async () => {
    const open = await against((stream) => stream.respond({ ":status": 200 }));
    expect((await failureOf(open({ timeoutMs: 50 }).messages().next())).status).toBe(GrpcStatus.deadlineExceeded);
  });
});

function pour(stream: ServerHttp2Stream, chunk: Buffer, onSent: () => void): void {
  if (stream.destroyed) return;
  stream.write(frame(chunk), (error) => {
    if (error) return;
    onSent();
    pour(stream, chunk, onSent);
  });
}

/** Waits until a figure has been the same for several looks in a row. */
async function stays(figure: () => number): Promise<void> {
  let last = -1;
  let same = 0;
  await expect
    .poll(() => {
      same = figure() === last ? same + 1 : 0;
      last = figure();
      return same;
    })
    .toBeGreaterThan(4);
}

async function against(handler: (stream: ServerHttp2Stream, server: FakeServer) => void) {
  const server: FakeServer = new FakeServer((stream) => handler(stream, server));
  const connection = new Connection({ address: await server.listen() }, DEFAULT_KEEP_ALIVE);
  cleanups.push(
    () => server.close(),
    () => connection.close(),
  );
  return (limits: Limits = {}) => new StreamingCall(connection.session(), "/s/m", limits);
}

async function collect(call: StreamingCall): Promise<string[]> {
  const texts: string[] = [];
  for await (const message of call.messages()) texts.push(Buffer.from(message).toString());
  return texts;
}
