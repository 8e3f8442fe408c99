import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import type { Probe } from "kubernetes-types/core/v1.d.ts";
import { onTestFinished, test } from "vitest";
import { attempt } from "./attempt.ts";

async function serve(handler: RequestListener): Promise<number> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function ask(probe: Probe, port = 0, exec = { exitCode: 0, output: "", isTimedOut: false }) {
  const container = { name: "c", ports: [{ name: "web", containerPort: port }] };
  return attempt(probe, { container, podIp: "127.0.0.1", exec: async () => exec });
}

test("an HTTP answer from 200 to 399 is a success; the port may be named", async () => {
  const port = await serve((request, response) => response.writeHead(Number(request.url?.slice(1))).end());
  assert.equal((await ask({ httpGet: { path: "/200", port: "web" } }, port)).isSuccess, true);
  assert.equal((await ask({ httpGet: { path: "/302", port } })).isSuccess, true);
  assert.deepEqual(await ask({ httpGet: { path: "/503", port } }), {
    isSuccess: false,
    message: "HTTP probe failed with statuscode: 503",
  });
});

test("headers are sent as written", async () => {
  const port = await serve((request, response) =>
    response.writeHead(request.headers["x-probe"] === "yes" ? 200 : 500).end(),
  );
  assert.equal((await ask({ httpGet: { port, httpHeaders: [{ name: "X-Probe", value: "yes" }] } })).isSuccess, true);
});

test("no answer in time, and no one there, are failures", async () => {
  const port = await serve(() => undefined);
  const late = await ask({ httpGet: { port }, timeoutSeconds: 0.05 });
  assert.equal(late.isSuccess, false);
  assert.match(late.message, /no answer within/);
  assert.equal((await ask({ httpGet: { port: 1 } })).isSuccess, false);
  assert.equal((await ask({ tcpSocket: { port: 1 } })).isSuccess, false);
});

test("a connection is a success for a TCP probe", async () => {
  const port = await serve(() => undefined);
  assert.equal((await ask({ tcpSocket: { port } })).isSuccess, true);
});

test("a command's exit code and patience decide an exec probe", async () => {
  const probe = { exec: { command: ["true"] } };
  assert.equal((await ask(probe)).isSuccess, true);
  assert.deepEqual(await ask(probe, 0, { exitCode: 1, output: "sick", isTimedOut: false }), {
    isSuccess: false,
    message: "sick",
  });
  assert.match((await ask(probe, 0, { exitCode: 137, output: "", isTimedOut: true })).message, /timed out after 1s/);
});
