import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { selfSignedCertificate } from "@etcd-operator/operator/transfer/trust/self-signed-certificate.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WorkerClient } from "./worker-client.ts";
import { WorkerUpload } from "./worker-upload.ts";

let gone: Server;
let asked: number;
let client: WorkerClient;
beforeEach(async () => {
  asked = 0;
  gone = createServer((socket) => {
    asked += 1;
    socket.destroy();
  }).listen(0, "127.0.0.1");
  await once(gone, "listening");
  const [notBefore, notAfter] = [new Date(Date.now() - 60_000), new Date(Date.now() + 3_600_000)];
  const { cert: certificate } = selfSignedCertificate({ name: "worker", notBefore, notAfter });
  const address = `127.0.0.1:${(gone.address() as AddressInfo).port}`;
  client = new WorkerClient({ address, certificate, token: "t" }, { firstRetryMs: 1, attempts: 5 });
});
afterEach(() => {
  client.close();
  gone.close();
});

describe("an upload to a worker that is gone", () => {
  test("fails after as many attempts as ever", async () => {
    const upload = new WorkerUpload(client, { operation: "put", finish: {} });
    await expect(upload.finish(10)).rejects.toMatchObject({ code: "unavailable" });
    expect(asked).toBe(5);
  });

  test("is aborted with a shorter timeout, because the failed caller waits for that", async () => {
    const upload = new WorkerUpload(client, { operation: "put", finish: {} });
    expect(await upload.takeBack()).toBeUndefined();
    expect(asked).toBe(2);
  });
});
