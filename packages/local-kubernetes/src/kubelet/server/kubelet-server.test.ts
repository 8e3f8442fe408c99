import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { NodeUnderTest } from "@etcd-operator/testing/kubelet/node-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { WebSocket } from "ws";

const isRoot = process.getuid?.() === 0;
const [stdin, stdout, stderr, failure, resize, closing] = [0, 1, 2, 3, 4, 255];

describe.skipIf(!isRoot)("logs and exec (needs root)", () => {
  let node: NodeUnderTest;
  beforeAll(async () => {
    node = await NodeUnderTest.make();
    await node.start();
    await node.run(
      "talker",
      'for i in 1 2 3; do echo "line $i"; done; trap "exit 0" TERM; while true; do sleep 0.1; done',
    );
    await node.run(
      "crasher",
      "[ -e /d/x ] && { echo second; sleep 1000; }; touch /d/x; echo first; exit 1",
      { volumeMounts: [{ name: "d", mountPath: "/d" }] },
      { volumes: [{ name: "d", emptyDir: {} }], terminationGracePeriodSeconds: 0 },
    );
    await node.ready("talker");
  });
  afterAll(() => node.destroy());

  async function get(path: string, token = "a-token"): Promise<{ status: number | undefined; body: string }> {
    const { kubeletPort: port, pki } = node.config;
    const headers = { Authorization: `Bearer ${token}` };
    return new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, path, headers, ca: readFileSync(pki.caFile) }, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
      });
      sent.once("error", reject).end();
    });
  }

  test("only those who know the token are answered", async () => {
    assert.equal((await get("/containerLogs/ns/talker/main", "wrong")).status, 401);
  });

  test("a log is given as it was asked for", async () => {
    await until(async () => (await get("/containerLogs/ns/talker/main")).body.includes("line 3"), { what: "the log" });
    assert.equal((await get("/containerLogs/ns/talker/main")).body, "line 1\nline 2\nline 3\n");
    assert.equal((await get("/containerLogs/ns/talker/main?tailLines=1")).body, "line 3\n");
    assert.equal((await get("/containerLogs/ns/talker/main?limitBytes=4")).body, "line");
    assert.match((await get("/containerLogs/ns/talker/main?timestamps=true&tailLines=1")).body, /^2\S+Z line 3\n$/);
    assert.equal((await get("/containerLogs/ns/talker/main?sinceTime=2999-01-01T00:00:00Z")).body, "");
  });

  test("a container that was restarted has a log of its run before", async () => {
    await until(async () => (await get("/containerLogs/ns/crasher/main")).body === "second\n", {
      what: "the second run",
    });
    assert.equal((await get("/containerLogs/ns/crasher/main?previous=true")).body, "first\n");
  });

  test.each([
    ["/containerLogs/ns/none/main", 404],
    ["/containerLogs/ns/talker/none", 404],
    ["/containerLogs/ns/talker/main?previous=true", 400],
    ["/elsewhere", 404],
  ])("%s is %i", async (path, status) => {
    assert.equal((await get(path)).status, status);
  });

  interface Spoken {
    readonly out: string;
    readonly error: string;
    readonly report: { status: string; details?: { causes: { reason: string; message: string }[] } };
  }

  async function exec(command: readonly string[], say: (socket: WebSocket) => void, more = ""): Promise<Spoken> {
    const words = command.map((word) => `command=${encodeURIComponent(word)}`).join("&");
    const { kubeletPort, pki } = node.config;
    const url = `wss://127.0.0.1:${kubeletPort}/exec/ns/talker/main?${words}&stdin=true&stdout=true&stderr=true${more}`;
    const headers = { Authorization: "Bearer a-token" };
    const socket = new WebSocket(url, ["v5.channel.k8s.io", "v4.channel.k8s.io"], {
      headers,
      ca: readFileSync(pki.caFile),
    });
    const heard: Record<number, string> = {};
    socket.on("message", (data: Buffer) => {
      heard[data[0] ?? 0] = `${heard[data[0] ?? 0] ?? ""}${data.subarray(1)}`;
    });
    socket.once("open", () => say(socket));
    await new Promise((resolve, reject) => socket.once("close", resolve).once("error", reject));
    assert.equal(socket.protocol, "v5.channel.k8s.io");
    return { out: heard[stdout] ?? "", error: heard[stderr] ?? "", report: JSON.parse(heard[failure] ?? "{}") };
  }

  const onChannel = (channel: number, data: string) => Buffer.concat([Buffer.of(channel), Buffer.from(data)]);

  test("exec connects input and output, and tells the exit code", async () => {
    const said = await exec(["sh", "-c", "cat; echo bad >&2; exit 5"], (socket) => {
      socket.send(onChannel(stdin, "hello"));
      socket.send(Buffer.of(closing, stdin));
    });
    assert.deepEqual([said.out, said.error], ["hello", "bad\n"]);
    assert.deepEqual(said.report.details?.causes, [{ reason: "ExitCode", message: "5" }]);
  });

  test("exec with a terminal has one, of the client's size", async () => {
    const say = (socket: WebSocket) => {
      socket.send(onChannel(resize, '{"Width":111,"Height":33}'));
      socket.send(onChannel(stdin, "stty size; exit\n"));
    };
    const said = await exec(["sh"], say, "&tty=true");
    assert.match(said.out, /33 111\r\n/);
    assert.equal(said.report.status, "Success");
  });

  /** The status with which an upgrade is refused, and why. */
  async function refusal(path: string, headers: Record<string, string>): Promise<string> {
    const { kubeletPort: port, pki } = node.config;
    const all = { authorization: "Bearer a-token", connection: "Upgrade", ...headers };
    return new Promise((resolve, reject) => {
      const asked = request({ host: "127.0.0.1", port, path, headers: all, ca: readFileSync(pki.caFile) });
      asked.once("upgrade", (_, socket) => {
        socket.destroy();
        reject(new Error("not refused"));
      });
      asked.once("response", (answer) => {
        text(answer).then((body) => resolve(`${answer.statusCode} ${body}`), reject);
      });
      asked.once("error", reject).end();
    });
  }

  const webSocket = { upgrade: "websocket", "sec-websocket-protocol": "unheard.of, other" };
  const negotiation =
    "unable to negotiate protocol: client supports [unheard.of other], server accepts [v5.channel.k8s.io v4.channel.k8s.io]";
  test.each([
    ["/exec/ns/talker/none?stdout=true", webSocket, '404 container not found ("none")'],
    ["/exec/ns/none/main?stdout=true", webSocket, '404 container not found ("main")'],
    ["/attach/ns/talker/main", webSocket, '404 container not found ("main")'],
    ["/exec/ns/talker/main", { upgrade: "SPDY/3.1" }, '403 unable to upgrade: unknown protocol "SPDY/3.1"'],
    ["/exec/ns/talker/main", webSocket, `403 unable to upgrade: ${negotiation}`],
  ])("an upgrade of %s with %j is refused", async (path, headers, expected) => {
    assert.equal(await refusal(path, headers), expected);
  });
});
