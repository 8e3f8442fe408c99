import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "vitest";
import { type AuditLine, audited } from "./audit.ts";

test("tells who changed what, and what was answered; not who only asked", async () => {
  const lines: AuditLine[] = [];
  const server = createServer(
    audited(
      (_, response) => {
        response.writeHead(201);
        response.end(Buffer.from("made"));
      },
      (line) => void lines.push(line),
    ),
  ).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/pods?a=b`;
  const headers = { "user-agent": "etcd-operator/1" };
  const answer = await fetch(url, { method: "POST", headers });
  assert.equal(await answer.text(), "made");
  await fetch(url, { headers });
  server.close();
  assert.deepEqual(
    lines.map(({ atMs: _, ...line }) => line),
    [{ method: "POST", path: "/api/v1/pods?a=b", userAgent: "etcd-operator/1", statusCode: 201, answer: "made" }],
  );
});
