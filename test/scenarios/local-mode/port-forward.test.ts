import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { until } from "../../support/kube/until.ts";
import { type LocalModeUnderTest, startLocalMode } from "../../support/local/local-mode.ts";
import { machineState } from "../../support/local/machine-state.ts";
import { answerOf, isEchoed, startPortForward } from "../../support/local/port-forward.ts";

const MIB = 1024 * 1024;
const [echoPort, namePort] = [7000, 8000];

// One port sends back what it gets, on loopback only; the other says who it is.
const program = `
const { createServer } = require("node:net");
const serve = (answer) => createServer({ allowHalfOpen: true }, (socket) => { socket.on("error", () => {}); answer(socket); });
serve((socket) => socket.pipe(socket)).listen(${echoPort}, "127.0.0.1");
serve((socket) => socket.end("I am " + require("node:os").hostname())).listen(${namePort});
`;

const spec = {
  terminationGracePeriodSeconds: 0,
  containers: [
    {
      name: "main",
      image: "etcd-operator",
      command: ["node", "-e", program],
      ports: [{ name: "name", containerPort: namePort }],
      readinessProbe: { tcpSocket: { port: namePort }, periodSeconds: 1 },
    },
  ],
};
const metadata = (name: string) => ({ name, namespace: "default", labels: { app: name } });
const pod = (name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: metadata(name), spec });
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: metadata("one"),
  spec: { selector: { app: "one" }, ports: [{ port: 80, targetPort: "name" }] },
};

describe("kubectl port-forward on local mode", () => {
  let local: LocalModeUnderTest;

  beforeAll(async () => {
    local = await startLocalMode();
    await local.apply(pod("one"), pod("two"), service);
    await local.kubectl("wait", "--for=condition=Ready", "--timeout=60s", "pod/one", "pod/two");
  });
  afterAll(() => local?.dispose());

  const forward = (target: string, ports: readonly (number | string)[], env: NodeJS.ProcessEnv = {}) =>
    startPortForward(local.kubeconfig, target, ports, env);

  test("several ports and many connections at once, large transfers among them", async () => {
    const before = await machineState(local);
    const kubectl = await forward("pod/one", [echoPort, namePort]);
    const [echo = 0, name = 0] = kubectl.ports;
    const small = Array.from({ length: 20 }, () => answerOf(name));
    const large = [isEchoed(echo, 50 * MIB), isEchoed(echo, 5 * MIB)];
    assert.deepEqual(new Set(await Promise.all(small)), new Set(["I am one"]));
    assert.deepEqual(await Promise.all(large), [true, true]);
    await kubectl.kill("SIGKILL");
    const isAsBefore = async () => (await machineState(local)).processes === before.processes;
    await until(isAsBefore, { what: "nothing to be left of a client that was killed" });
  });

  test("a client that talks SPDY itself gets there too, and a Service leads to its pod", async () => {
    const kubectl = await forward("service/one", [80], { KUBECTL_PORT_FORWARD_WEBSOCKETS: "false" });
    assert.equal(await answerOf(kubectl.ports[0] ?? 0), "I am one");
    await kubectl.kill();
  });

  test("kubectl shows that nobody listens on a port", async () => {
    const kubectl = await forward("pod/one", [8001]);
    await answerOf(kubectl.ports[0] ?? 0);
    assert.equal(await kubectl.ended, 1);
    assert.match(kubectl.output(), /an error occurred forwarding \d+ -> 8001: error forwarding port 8001 to pod /);
    assert.match(kubectl.output(), /dial tcp4 127\.0\.0\.1:8001: connect: connection refused/);
  });

  test("kubectl ends when the pod does", async () => {
    const kubectl = await forward("pod/two", [namePort]);
    assert.equal(await answerOf(kubectl.ports[0] ?? 0), "I am two");
    await local.kubectl("delete", "pod", "two");
    assert.equal(await kubectl.ended, 1);
    assert.match(kubectl.output(), /lost connection to pod/);
    const gone = await local.tryKubectl(["port-forward", "pod/two", `:${namePort}`]);
    assert.match(gone.stderr, /pods "two" not found/);
  });

  test("exec over SPDY, as older clients ask for it, and attach", async () => {
    const old = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false" };
    Object.assign(process.env, old);
    try {
      const said = await local.tryKubectl(["exec", "-i", "one", "--", "sh", "-c", "cat; exit 3"], "hello");
      assert.deepEqual([said.stdout, said.code], ["hello", 3]);
    } finally {
      for (const name of Object.keys(old)) delete process.env[name];
    }
    await local.apply({
      ...pod("short"),
      spec: {
        restartPolicy: "Never",
        containers: [{ name: "main", image: "busybox", command: ["sh", "-c", "sleep 2; echo last words"] }],
      },
    });
    await local.kubectl("wait", "--for=condition=Ready", "--timeout=30s", "pod/short");
    assert.match((await local.tryKubectl(["attach", "short"])).stdout, /last words/);
  });
});
