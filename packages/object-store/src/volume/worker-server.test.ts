import { once } from "node:events";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { selfSignedCertificate } from "@etcd-operator/operator/transfer/trust/self-signed-certificate.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Routes, startWorkerServer } from "./worker-server.ts";

const { cert, key } = selfSignedCertificate({
  name: "worker",
  notBefore: new Date(Date.now() - 60_000),
  notAfter: new Date(Date.now() + 3_600_000),
});

describe("a worker", () => {
  test("is busy as long as a client waits for an answer", async () => {
    const { server, ask, open, began } = await aServer();
    const answer = ask("GET", "/waits");
    await began;
    const [early, late] = [server.lastBusyAt(), await later(() => server.lastBusyAt())];
    expect(late).toBeGreaterThan(early);
    open();
    await answer;
    const end = await until(() => server.lastBusyAt(), { what: "the end" });
    expect(await later(() => server.lastBusyAt())).toBeGreaterThanOrEqual(end);
  });

  test("that ends gives the last answer time to get there", async () => {
    const { server, ask, open, began } = await aServer();
    const answer = ask("GET", "/waits");
    await began;
    const closed = server.close(60_000);
    open();
    expect(await answer).toMatchObject({ status: 200, body: '{"waited":true}' });
    await closed;
  });

  test("that has no time ends at once", async () => {
    const { server, ask, began } = await aServer();
    const answer = ask("GET", "/waits");
    answer.catch(() => undefined);
    await began;
    await server.close();
    await expect(answer).rejects.toThrow();
  });

  test("tells who is still sending why it refuses, without reading on for ever", async () => {
    const { ask } = await aServer();
    const refused = await ask("PUT", "/refuses", Buffer.alloc(10_000_000));
    expect(refused).toEqual({
      status: 507,
      body: '{"code":"full","message":"no space is left on the volume: enlarge it, or keep fewer backups (ENOSPC)"}',
    });
  });

  test("takes nothing that is longer than any block", async () => {
    const { ask } = await aServer();
    expect(await ask("PUT", "/refuses", Buffer.alloc(0), { "content-length": String(65 << 20) })).toMatchObject({
      status: 400,
    });
  });
});

async function aServer() {
  const gate: { open: () => void; begin: () => void } = { open: () => undefined, begin: () => undefined };
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  const began = new Promise<void>((resolve) => {
    gate.begin = resolve;
  });
  const routes: Routes = {
    "GET /waits": async () => {
      gate.begin();
      await opened;
      return { waited: true };
    },
    "PUT /refuses": () => Promise.reject(Object.assign(new Error("no room"), { code: "ENOSPC" })),
  };
  const server = await startWorkerServer({ cert, key, token: "token" }, routes, { port: 0, host: "127.0.0.1" });
  onTestFinished(() => server.close().catch(() => undefined));
  const ask = async (method: string, path: string, body = Buffer.alloc(0), more: Record<string, string> = {}) => {
    const headers = { authorization: "Bearer token", "content-length": String(body.length), ...more };
    const options = { host: "127.0.0.1", port: server.port, method, path, headers, agent: false };
    const asked = request({ ...options, ca: cert, checkServerIdentity: () => undefined });
    asked.write(body);
    asked.flushHeaders();
    if (Number(headers["content-length"]) === body.length) asked.end();
    const [response] = await once(asked, "response");
    const answer = { status: response.statusCode as number, body: await text(response) };
    asked.destroy();
    return answer;
  };
  return { server, ask, began, open: () => gate.open() };
}

async function later<Answer>(ask: () => Answer): Promise<Answer> {
  await new Promise((resolve) => setImmediate(resolve));
  return ask();
}
