import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { connect } from "node:tls";
import { kubectl } from "@etcd-operator/testing/kube/kubectl.ts";
import { type LocalApiServer, startLocalApiServer } from "@etcd-operator/testing/local/api-server.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { define, randomGroup } from "../../conformance/custom-kind.ts";
import { openTarget } from "../../conformance/open-target.ts";
import type { ConformanceTarget, WatchEvent } from "../../conformance/target.ts";
import { freePorts } from "../processes/free-ports.ts";

let server: LocalApiServer;
let target: ConformanceTarget;
let kubelet: Server;
let kubeletPort: number;

const targetOn = ({ kubeconfig, etcd }: LocalApiServer) =>
  openTarget({ adminKubeconfig: kubeconfig, storeEndpoint: etcd.clientUrl, hasControllers: false });

beforeAll(async () => {
  [kubeletPort = 0] = await freePorts(1);
  server = await startLocalApiServer();
  target = targetOn(server);
  kubelet = await startFakeKubelet(server, kubeletPort);
});

afterAll(async () => {
  kubelet?.close();
  await server?.stop();
});

describe("the API server of local mode, after a restart,", () => {
  test("tells a watcher what it missed", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    const first = await startLocalApiServer({ etcd: server.etcd });
    const { rest } = targetOn(first);
    const { body } = await rest("POST", path, { metadata: { name: "before" } });
    await rest("POST", path, { metadata: { name: "missed" } });
    await first.stop();

    const second = await startLocalApiServer({ etcd: server.etcd });
    const query = `watch=1&resourceVersion=${body.metadata?.resourceVersion}`;
    const events = await eventsOf(targetOn(second), `${path}?${query}`, 1);
    assert.deepEqual(
      events.map(({ type, object }) => `${type} ${object.metadata?.name}`),
      ["ADDED missed"],
    );
    await second.stop();
  });
});

describe("a Service", () => {
  const services = "/api/v1/namespaces/default/services";
  const service = (name: string, spec: object) => ({ metadata: { name }, spec: { ports: [{ port: 1 }], ...spec } });

  test("has its ClusterIP for itself, until it is deleted", async () => {
    const clusterIP = "10.0.0.77";
    assert.equal((await target.rest("POST", services, service("one", { clusterIP }))).code, 201);
    const { code, body } = await target.rest("POST", services, service("two", { clusterIP }));
    assert.equal(code, 422);
    assert.match(String(body.message), /provided IP is already allocated/);
    await target.rest("DELETE", `${services}/one`);
    assert.equal((await target.rest("POST", services, service("two", { clusterIP }))).code, 201);
  });

  test("gets an address of its own where many are made at once", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => target.rest("POST", services, service(`s${index}`, {}))),
    );
    const ips = answers.map(({ body }) => (body.spec as { clusterIP: string }).clusterIP);
    assert.equal(new Set(ips).size, 40);
  });

  test("outside the range is refused", async () => {
    const { code } = await target.rest("POST", services, service("far", { clusterIP: "192.168.1.1" }));
    assert.equal(code, 422);
  });
});

describe("server-side apply", () => {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "applied" }, data: { a: "1" } };
  const group = randomGroup();
  const [json, merge, strategic] = ["json-patch", "merge-patch", "strategic-merge-patch"].map(
    (type) => `application/${type}+json`,
  );

  beforeAll(() => define(target, group));

  test.each([
    ["/api/v1/namespaces/default/configmaps/applied", [json, merge, strategic]],
    ["/apis/apps/v1/namespaces/default/deployments/applied/scale", [json, merge, strategic]],
    [`/apis/${group}/v1/namespaces/default/widgets/applied`, [json, merge]],
  ])("at %s is refused, with the types of patches that there are", async (path, types) => {
    const contentType = "application/apply-patch+yaml";
    const { code, body } = await target.rest("PATCH", `${path}?fieldManager=me&force=true`, object, { contentType });
    assert.deepEqual([code, body.reason], [415, "UnsupportedMediaType"]);
    assert.equal(
      body.message,
      `the body of the request was in an unknown format - accepted media types include: ${types.join(", ")}`,
    );
  });

  test("is told to users of kubectl as what this server does not have", async () => {
    const input = JSON.stringify(object);
    const { stderr, code } = await kubectl(server.kubeconfig, ["apply", "--server-side", "-f", "-"], { input });
    assert.equal(code, 1);
    assert.match(stderr, /Server-side apply not available on the server/);
  });

  test("leaves no trace where an object brings managed fields along", async () => {
    const path = "/api/v1/namespaces/default/configmaps";
    const managedFields = [{ manager: "me", operation: "Apply", apiVersion: "v1" }];
    const { code, body } = await target.rest("POST", path, { metadata: { name: "brought", managedFields } });
    assert.deepEqual([code, body.metadata?.managedFields], [201, undefined]);
  });
});

describe("a ServiceAccount's token", () => {
  test("is worth nothing once the account is gone, even if one of the same name comes", async () => {
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await target.rest("POST", accounts, { metadata: { name: "brief" } });
    const { body } = await target.rest("POST", `${accounts}/brief/token`, { spec: {} });
    const asAccount = target.restWithToken((body.status as { token: string }).token);
    assert.equal((await asAccount("GET", "/api/v1")).code, 200);
    await target.rest("DELETE", `${accounts}/brief`);
    await target.rest("POST", accounts, { metadata: { name: "brief" } });
    await target.rest("GET", accounts);
    assert.equal((await asAccount("GET", "/api/v1")).code, 401);
  });
});

describe("what the kubelet has", () => {
  const pods = "/api/v1/namespaces/kube-public/pods";
  beforeAll(async () => {
    await target.rest("POST", "/api/v1/namespaces/kube-public/serviceaccounts", { metadata: { name: "default" } });
    const containers = [
      { name: "a", image: "a" },
      { name: "b", image: "b" },
    ];
    const status = { daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } };
    await target.rest("POST", "/api/v1/nodes", { metadata: { name: "local" } });
    await target.rest("PATCH", "/api/v1/nodes/local/status", { status });
    await target.rest("POST", pods, { metadata: { name: "p" }, spec: { nodeName: "local", containers } });
  });

  test("is asked for with the container, the options and the administrator's token", async () => {
    const { code, text } = await target.rest("GET", `${pods}/p/log?container=b&tailLines=5`);
    assert.equal(code, 200);
    assert.equal(text, `/containerLogs/kube-public/p/b?tailLines=5 Bearer ${server.token}`);
  });

  test("needs a container's name where there are several", async () => {
    const { code, body } = await target.rest("GET", `${pods}/p/log`);
    assert.equal(code, 400);
    assert.match(String(body.message), /a container name must be specified for pod p, choose one of: \[a b\]/);
  });

  test("is a 404 for a pod that does not exist", async () => {
    assert.equal((await target.rest("GET", `${pods}/none/log`)).code, 404);
  });

  test("serves exec over one connection", async () => {
    const { head, echo } = await upgrade(`${pods}/p/exec?container=a&command=ls&command=-l`);
    assert.match(head, /^HTTP\/1.1 101 /);
    assert.match(head, /\/exec\/kube-public\/p\/a\?command=ls&command=-l/);
    assert.equal(echo, "hello");
  });

  test("refuses unknown clients", async () => {
    const { head } = await upgrade(`${pods}/p/exec?container=a`, "forged");
    assert.match(head, /^HTTP\/1.1 401 /);
  });
});

async function startFakeKubelet({ pki }: LocalApiServer, port: number): Promise<Server> {
  const tls = { cert: readFileSync(pki.certFile), key: readFileSync(pki.keyFile) };
  const fake = createServer(tls, (request, response) => {
    response.end(`${request.url} ${request.headers.authorization}`);
  });
  fake.on("upgrade", (request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nX-Path: ${request.url}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  fake.listen(port, "127.0.0.1");
  await once(fake, "listening");
  return fake;
}

/** Switches protocols at a path, and sends a greeting to the server. */
async function upgrade(path: string, token = server.token): Promise<{ head: string; echo: string }> {
  const { hostname, port } = new URL(server.server);
  const socket = connect({ host: hostname, port: Number(port), ca: readFileSync(server.ca) });
  await once(socket, "secureConnect");
  const headers = `Host: x\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\n${headers}\r\n`);
  const [head] = (await once(socket, "data")) as [Buffer];
  let echo = "";
  if (head.toString().includes(" 101 ")) {
    socket.write("hello");
    echo = String(((await once(socket, "data")) as [Buffer])[0]);
  }
  socket.destroy();
  return { head: head.toString(), echo };
}

async function eventsOf({ watch }: ConformanceTarget, path: string, count: number): Promise<WatchEvent[]> {
  const enough = new AbortController();
  const events: WatchEvent[] = [];
  for await (const event of watch(path, enough.signal)) {
    events.push(event);
    if (events.length === count) enough.abort();
  }
  return events;
}
