import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, test } from "vitest";
import { WebSocket } from "ws";
import { until } from "../../../../test/support/kube/until.ts";
import { NodeUnderTest } from "../../../../test/support/kubelet/node-under-test.ts";
import { SpdyClient } from "../../../../test/support/kubelet/spdy-client.ts";
import { resources } from "../../../kubernetes/resources.ts";
import { podPaths } from "../pod-paths.ts";
import { toolAt } from "../sandbox/host-tools.ts";

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

  /** An upgraded connection of SPDY, as old clients ask for it. */
  async function spdy(path: string, protocol: string): Promise<SpdyClient> {
    const { kubeletPort: port, pki } = node.config;
    const headers = {
      authorization: "Bearer a-token",
      connection: "Upgrade",
      upgrade: "SPDY/3.1",
      "x-stream-protocol-version": protocol,
    };
    return new Promise((resolve, reject) => {
      const asked = request({ host: "127.0.0.1", port, path, headers, method: "POST", ca: readFileSync(pki.caFile) });
      asked.once("upgrade", (response, socket) => {
        assert.equal(response.headers["x-stream-protocol-version"], protocol);
        resolve(new SpdyClient(socket));
      });
      asked.once("response", ({ statusCode }) => reject(new Error(`refused with ${statusCode}`)));
      asked.once("error", reject).end();
    });
  }

  test("exec over SPDY has a stream for each direction and one for the exit code", async () => {
    const query = "command=sh&command=-c&command=cat;echo+bad>%262;exit+5&stdin=true&stdout=true&stderr=true";
    const client = await spdy(`/exec/ns/talker/main?${query}`, "v4.channel.k8s.io");
    const [failure, input, output, errors] = ["error", "stdin", "stdout", "stderr"].map((streamtype) =>
      client.open({ streamtype }),
    ) as [number, number, number, number];
    client.send(input, "hello");
    client.end(input);
    assert.match(await client.ended(failure), /"reason":"ExitCode","message":"5"/);
    assert.deepEqual([await client.ended(output), await client.ended(errors)], ["hello", "bad\n"]);
    await until(() => client.isClosed, { what: "the end of the connection" });
  });

  test("attach shows what is printed from now on, until the container ends", async () => {
    await node.run("ticker", "trap 'echo last; exit 0' TERM; while true; do echo tick; sleep 0.1; done");
    await node.ready("ticker");
    const client = await spdy("/attach/ns/ticker/main?stdout=true&stderr=true", "v4.channel.k8s.io");
    const [failure, output] = ["error", "stdout", "stderr"].map((streamtype) => client.open({ streamtype })) as [
      number,
      number,
    ];
    await until(() => client.heard(output).text.startsWith("tick\ntick\n"), { what: "two ticks" });
    await node.cluster.delete(resources.pods, { namespace: "ns", name: "ticker" });
    assert.match(await client.ended(output), /last\n$/);
    assert.match(await client.ended(failure), /Success/);
  });

  test("port-forward reaches what listens on a pod's loopback only, and ends with the pod", async () => {
    const pod = await node.run("server", "sleep 1000", {}, { terminationGracePeriodSeconds: 0 });
    await node.ready("server");
    const sandboxPid = readFileSync(podPaths(node.config.stateDir, pod.metadata.uid).sandboxPid, "utf8").trim();
    const serve = 'require("net").createServer((s) => s.end("from inside")).listen(8000, "127.0.0.1")';
    const words = ["--target", sandboxPid, "--net", process.execPath, "-e", serve];
    const inside = spawn(toolAt("nsenter"), words, { stdio: "ignore" });
    const client = await spdy("/portForward/ns/server", "portforward.k8s.io");
    let [requests, said] = [0, ""];
    // Node.js takes a moment until it listens.
    const answers = async () => {
      requests += 1;
      said = await client.ended(client.forward(8000, String(requests)).data);
      return said !== "";
    };
    await until(answers, { what: "an answer from inside" });
    assert.equal(said, "from inside");
    const refused = await client.ended(client.forward(8001, "refused").failure);
    assert.match(refused, /^error forwarding port 8001 to pod \S+, uid : failed to connect to localhost:8001 inside/);
    assert.match(refused, /IPv4: dial tcp4 127\.0\.0\.1:8001: connect: connection refused/);
    inside.kill("SIGKILL");
    await node.cluster.delete(resources.pods, { namespace: "ns", name: "server" });
    await until(() => client.isClosed, { what: "the end of the connection" });
  });

  test("the ports of a WebSocket have two channels each", async () => {
    const { kubeletPort, pki } = node.config;
    const url = `wss://127.0.0.1:${kubeletPort}/portForward/ns/talker?ports=9,10`;
    const headers = { Authorization: "Bearer a-token" };
    const socket = new WebSocket(url, ["v4.channel.k8s.io"], { headers, ca: readFileSync(pki.caFile) });
    const heard = new Map<number, Buffer>();
    socket.on("message", (data: Buffer) => {
      const channel = data[0] ?? 0;
      heard.set(channel, Buffer.concat([heard.get(channel) ?? Buffer.alloc(0), data.subarray(1)]));
    });
    await new Promise((resolve, reject) => socket.once("close", resolve).once("error", reject));
    assert.deepEqual(
      [0, 1, 2, 3].map((channel) => heard.get(channel)?.readUInt16LE(0)),
      [9, 9, 10, 10],
    );
    assert.match(String(heard.get(1)?.subarray(2)), /connection refused/);
  });

  test.each([
    ["/portForward/ns/none", "portforward.k8s.io", 404],
    ["/exec/ns/talker/none?stdout=true", "v4.channel.k8s.io", 404],
    ["/portForward/ns/talker", "unheard.of", 403],
  ])("an upgrade of %s to %s is %i", async (path, protocol, status) => {
    await assert.rejects(spdy(path, protocol), { message: `refused with ${status}` });
  });
});
