import assert from "node:assert/strict";
import { createServer, connect as dial, type Server, type Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";
import { afterEach, beforeEach, describe, test } from "vitest";
import { until } from "../../../../test/support/kube/until.ts";
import { SpdyClient } from "../../../../test/support/kubelet/spdy-client.ts";
import { PortForwardSession, portsOf } from "./port-forward.ts";

test("ports are asked for one by one or in a row", () => {
  assert.deepEqual(portsOf(new URLSearchParams("port=80&port=443")), [80, 443]);
  assert.deepEqual(portsOf(new URLSearchParams("ports=80,443")), [80, 443]);
  assert.equal(portsOf(new URLSearchParams()), 'query parameter "port" is required');
  for (const odd of ["0", "65536", "http", "1e3", "-1"])
    assert.equal(typeof portsOf(new URLSearchParams({ port: odd })), "string", odd);
});

describe("ports forwarded over SPDY", () => {
  let [server, inside]: [Server | undefined, Socket[]] = [undefined, []];
  let client: SpdyClient;
  let session: Promise<void>;
  let transport: Duplex;
  let cut: () => void;

  beforeEach(async () => {
    inside = [];
    server = createServer({ allowHalfOpen: true }, (socket) => {
      inside.push(socket);
      socket.on("error", () => undefined);
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const pod = {
      uid: "a-uid",
      async dial(wanted: number) {
        if (wanted !== 80) throw new Error(`no one listens on ${wanted}`);
        const socket = dial({ port, host: "127.0.0.1", allowHalfOpen: true });
        await new Promise((resolve) => socket.once("connect", resolve));
        return socket;
      },
    };
    const [ours, theirs] = duplexPair();
    transport = theirs;
    // What a socket does by itself.
    cut = () => {
      theirs.destroy();
      ours.destroy();
    };
    client = new SpdyClient(theirs);
    session = new PortForwardSession(ours, pod).run();
  });

  afterEach(async () => {
    cut();
    await session;
    for (const socket of inside) socket.destroy();
    server?.close();
  });

  async function reached(count: number): Promise<Socket> {
    await until(() => inside.length >= count, { what: `connection ${count}`, everyMs: 5 });
    return inside[count - 1] as Socket;
  }

  test("each direction ends on its own, and then both streams are over", async () => {
    const { data, failure } = client.forward(80, "0");
    client.send(data, "question");
    client.end(data);
    const socket = await reached(1);
    let asked = "";
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) asked += chunk;
    assert.equal(asked, "question");
    socket.end("answer");
    assert.equal(await client.ended(data), "answer");
    assert.equal(await client.ended(failure), "");
    assert.equal(client.heard(failure).isReset, false);
  });

  test("several connections at once do not mix", async () => {
    const both = ["0", "1"].map((id) => client.forward(80, id).data);
    for (const id of both) client.send(id, `from ${id}`);
    await reached(2);
    for (const socket of inside) socket.once("data", (chunk: Buffer) => socket.end(`to ${chunk}`));
    for (const id of both) assert.equal(await client.ended(id), `to from ${id}`);
  });

  test("a port where nobody listens is told of, and the session goes on", async () => {
    const refused = client.forward(81, "0");
    assert.equal(
      await client.ended(refused.failure),
      "error forwarding port 81 to pod a-uid, uid : no one listens on 81",
    );
    await client.ended(refused.data);
    const { data } = client.forward(80, "1");
    (await reached(1)).end("still here");
    assert.equal(await client.ended(data), "still here");
  });

  test("a stream that the client resets is closed inside the pod", async () => {
    const { data } = client.forward(80, "0");
    const socket = await reached(1);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.resume().once("end", () => socket.end());
    client.reset(data);
    await closed;
  });

  test("everything inside the pod is closed when the client is cut off", async () => {
    client.forward(80, "0");
    client.forward(80, "1");
    await reached(2);
    const closed = inside.map((socket) => {
      socket.resume().once("end", () => socket.end());
      return new Promise((resolve) => socket.once("close", resolve));
    });
    cut();
    await Promise.all([session, ...closed]);
  });

  test("whoever does not read is not sent more than a little", async () => {
    const { data } = client.forward(80, "0");
    const socket = await reached(1);
    transport.pause();
    let sent = 0;
    const chunk = Buffer.alloc(64 * 1024);
    while (socket.write(chunk) && sent < 1000) sent += 1;
    // The kernel's buffers, ours, and no more: it stops by itself, and goes on when the client reads.
    for (let more = 0; more < 500; more += 1) socket.write(chunk);
    socket.end();
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(client.heard(data).bytes < 1024 * 1024);
    transport.resume();
    await client.ended(data);
    assert.equal(client.heard(data).bytes, (sent + 1 + 500) * chunk.length);
  });

  test("pings are answered, streams without a port or of an unknown type are refused", async () => {
    client.ping(5);
    const odd = [client.open({ streamtype: "data" }), client.open({ streamtype: "video", port: "80" })];
    for (const id of odd) {
      await client.ended(id);
      assert.equal(client.heard(id).isReset, true);
    }
    assert.deepEqual(client.pings, [5]);
  });

  test("nonsense ends the session", async () => {
    transport.write(Buffer.alloc(64, 0xff));
    await assert.rejects(session, { name: "SpdyError" });
    session = Promise.resolve();
  });
});
