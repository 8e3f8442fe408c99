import { constants } from "node:http2";
import { afterEach, describe, expect, test } from "vitest";
import { answer, FakeServer, failureOf } from "../../../test/support/etcd/fake-grpc-server.ts";
import { frame } from "../grpc/frame.ts";
import { GrpcFailure, GrpcStatus } from "../grpc/grpc-failure.ts";
import { LoopbackSession } from "./loopback-session.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Handler = ConstructorParameters<typeof FakeServer>[0];

async function against(handler: Handler, mostBytes?: number) {
  const server = new FakeServer(handler);
  const address = await server.listen();
  cleanups.push(() => server.close());
  const session = new LoopbackSession(address, mostBytes);
  cleanups.push(() => session.close(new GrpcFailure(GrpcStatus.canceled, "over")));
  const ask = (message = "ping", timeoutMs = 5_000) => session.unary("/a.B/C", Buffer.from(message), timeoutMs);
  return { server, session, ask };
}

describe("a loopback session", () => {
  test("gives the one message of the answer, and sends what gRPC asks for", async () => {
    const seen: unknown[] = [];
    const { ask } = await against((stream, headers) => {
      seen.push(headers[":path"], headers.te, headers["grpc-timeout"]);
      stream.on("data", (bytes: Buffer) => seen.push(bytes.subarray(5).toString()));
      answer(stream, "pong");
    });
    expect((await ask()).toString()).toBe("pong");
    expect(seen).toEqual(["/a.B/C", "trailers", "5000m", "ping"]);
  });

  test("carries many calls at once, each with its own answer", async () => {
    const { ask, server } = await against((stream) => {
      stream.on("data", (bytes: Buffer) => answer(stream, `to ${bytes.subarray(5)}`));
    });
    const questions = Array.from({ length: 200 }, (_, index) => `question ${index}`);
    const answers = await Promise.all(questions.map((question) => ask(question)));
    expect(answers.map(String)).toEqual(questions.map((question) => `to ${question}`));
    expect(server.sessions).toHaveLength(1);
  });

  test("takes answers larger than a frame, and more of them than a window holds", async () => {
    const large = "x".repeat(5 << 20);
    const { ask } = await against((stream) => answer(stream, large), large.length);
    for (let round = 0; round < 5; round += 1) expect((await ask()).length).toBe(large.length);
  });

  test("refuses a message that is larger than it may be, and a second one", async () => {
    const { ask } = await against((stream) => answer(stream, "four"), 3);
    expect((await failureOf(ask())).status).toBe(GrpcStatus.resourceExhausted);
    const twice = await against((stream) => answer(stream, "one", "two"));
    expect((await failureOf(twice.ask())).status).toBe(GrpcStatus.internal);
  });

  test("reads a refusal that comes without any message, and decodes its text", async () => {
    const { ask } = await against((stream) => {
      const message = "no%20way: \\ {ü}".replace("ü", "%C3%BC");
      stream.respond({ ":status": 200, "grpc-status": "9", "grpc-message": message }, { endStream: true });
    });
    expect(await failureOf(ask())).toMatchObject({ status: GrpcStatus.failedPrecondition, message: "no way: \\ {ü}" });
  });

  test("reads fields that are too many for one frame", async () => {
    const message = "x".repeat(40_000);
    const { ask } = await against((stream) => {
      stream.respond({ ":status": 200, "grpc-status": "9", "grpc-message": message }, { endStream: true });
    });
    expect(await failureOf(ask())).toMatchObject({
      status: GrpcStatus.failedPrecondition,
      message: message.slice(0, 1_000),
    });
  });

  test("says what it found when the port speaks HTTP but not gRPC", async () => {
    const { ask } = await against((stream) => stream.respond({ ":status": 404 }, { endStream: true }));
    expect((await failureOf(ask())).message).toBe("the server answered HTTP 404; is this an etcd client port?");
  });

  test("takes an answer without a status for a broken connection", async () => {
    const { ask } = await against((stream) => {
      stream.respond({ ":status": 200 });
      stream.end(frame(Buffer.from("half an answer")));
    });
    expect((await failureOf(ask())).status).toBe(GrpcStatus.unavailable);
  });

  test("refuses an answer with more than one message", async () => {
    const { ask } = await against((stream) => answer(stream, "one", "two"));
    expect((await failureOf(ask())).status).toBe(GrpcStatus.internal);
  });

  test("fails the call that the server resets, and no other", async () => {
    const { ask, session } = await against((stream) => {
      stream.on("data", (bytes: Buffer) => {
        if (String(bytes.subarray(5)) === "bad") stream.close(constants.NGHTTP2_REFUSED_STREAM);
        else answer(stream, "pong");
      });
    });
    const [bad, good] = await Promise.all([failureOf(ask("bad")), ask("good")]);
    expect([bad.status, String(good), session.isUsable]).toEqual([GrpcStatus.unavailable, "pong", true]);
  });

  test("fails every call when the connection breaks, and is of no more use", async () => {
    const { ask, session, server } = await against((stream) => stream.session?.destroy());
    const failures = await Promise.all([failureOf(ask()), failureOf(ask())]);
    expect(failures.map(({ status }) => status)).toEqual([GrpcStatus.unavailable, GrpcStatus.unavailable]);
    expect(session.isUsable).toBe(false);
    expect(server.sessions).toHaveLength(1);
  });

  test("finishes its calls after a GOAWAY, and takes no new ones", async () => {
    const { ask, session } = await against((stream) => {
      stream.session?.goaway(constants.NGHTTP2_NO_ERROR, stream.id ?? 0);
      setImmediate(() => answer(stream, "pong"));
    });
    expect(String(await ask())).toBe("pong");
    expect(session.isUsable).toBe(false);
  });

  test("gives up at the deadline and tells the server so", async () => {
    const codes: number[] = [];
    const { ask } = await against((stream) => stream.on("close", () => codes.push(stream.rstCode)));
    expect((await failureOf(ask("ping", 50))).status).toBe(GrpcStatus.deadlineExceeded);
    await expect.poll(() => codes).toEqual([constants.NGHTTP2_CANCEL]);
  });

  test("has no room for what the server's windows do not take", async () => {
    const { session, ask } = await against((stream) => stream.pause());
    expect([session.hasRoomFor(15_000), session.hasRoomFor(20_000)]).toEqual([true, false]);
    for (let call = 0; call < 4; call += 1) ask("x".repeat(15_000)).catch(() => {});
    expect(session.hasRoomFor(15_000)).toBe(false);
    expect(session.hasRoomFor(100)).toBe(true);
  });

  test("hands on the messages of a stream one by one, and sends more on it", async () => {
    const { session } = await against((stream) => {
      stream.respond({ ":status": 200 }, { waitForTrailers: true });
      stream.on("data", (bytes: Buffer) => stream.write(frame(Buffer.from(`echo ${bytes.subarray(5)}`))));
    });
    const told: string[] = [];
    const call = session.stream(
      "/a.B/Stream",
      {},
      Buffer.from("one"),
      (message) => told.push(String(message)),
      () => {},
    );
    await expect.poll(() => told).toEqual(["echo one"]);
    call.send(Buffer.from("two"));
    await expect.poll(() => told).toEqual(["echo one", "echo two"]);
  });
});
