import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createSecureServer } from "node:http2";
import { type AddressInfo, connect } from "node:net";
import { selfSignedCertificate } from "@etcd-operator/operator/transfer/trust/self-signed-certificate.ts";
import { errorOf } from "@etcd-operator/testing/kubernetes/error-of.ts";
import { configMap, failure, json, scriptedServer } from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { describe, test } from "vitest";
import type { Connection } from "../connect/connection.ts";
import { type CredentialSource, fixedCredential } from "../connect/credential.ts";
import { resources } from "./resources.ts";
import { KubeClient } from "./rest-client.ts";

const ref = { namespace: "default", name: "a" };

async function get(connection: Connection, signal?: AbortSignal): Promise<void> {
  const client = new KubeClient(connection, { userAgent: "tester/1" });
  try {
    await client.get(resources.configMaps, ref, { signal });
  } finally {
    await client.close();
  }
}

describe("a request", () => {
  test("says who sends it, under the path that the server lives at", async () => {
    await using server = await scriptedServer((_, response) => json(response, 200, configMap("a", "1")));
    const credentials = { current: async () => ({ authorization: "Bearer t" }), forget: () => undefined };
    await get({ server: `${server.connection.server}/clusters/one/`, credentials });
    const [{ path, headers } = { path: "", headers: {} }] = server.requests;
    assert.equal(path, "/clusters/one/api/v1/namespaces/default/configmaps/a");
    assert.deepEqual([headers.authorization, headers["user-agent"]], ["Bearer t", "tester/1"]);
  });

  test("that is not authorized makes the next one bring a new credential", async () => {
    await using server = await scriptedServer(({ headers }, response) => {
      if (headers.authorization === "Bearer 2") json(response, 200, configMap("a", "1"));
      else json(response, 401, failure(401, "Unauthorized"));
    });
    let generation = 1;
    const credentials: CredentialSource = {
      current: async () => ({ authorization: `Bearer ${generation}` }),
      forget: () => {
        generation += 1;
      },
    };
    const connection = { ...server.connection, credentials };
    assert.equal((await errorOf(get(connection))).code, "unauthorized");
    await get(connection);
  });

  test("stays with HTTP/1.1 where the server would rather have HTTP/2", async () => {
    const notBefore = new Date(Date.now() - 86_400_000);
    const { cert, key } = selfSignedCertificate({
      name: "127.0.0.1",
      notBefore,
      notAfter: new Date(Date.now() + 86_400_000),
    });
    const spoken: string[] = [];
    const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
      spoken.push(request.httpVersion);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(configMap("a", "1")));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const credentials = fixedCredential();
    await get({ server: `https://127.0.0.1:${port}`, credentials, insecureSkipTlsVerify: true });
    assert.deepEqual(spoken, ["1.1"]);
    await new Promise((resolve) => server.close(resolve));
  });

  test("goes through the proxy that the kubeconfig names", async () => {
    await using server = await scriptedServer((_, response) => json(response, 200, configMap("a", "1")));
    const asked: (string | undefined)[] = [];
    const proxy = createServer().on("connect", (request, socket) => {
      asked.push(request.url);
      const { hostname, port } = new URL(`http://${request.url}`);
      const onward = connect(Number(port), hostname, () => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        onward.pipe(socket).pipe(onward);
      });
      onward.on("error", () => socket.destroy());
      socket.on("error", () => onward.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const { port } = proxy.address() as AddressInfo;
    await get({ ...server.connection, proxyUrl: `http://127.0.0.1:${port}` });
    assert.deepEqual(asked, [new URL(server.connection.server).host]);
    await new Promise((resolve) => proxy.close(resolve));
  });

  test("may share its signal with many others", async () => {
    await using server = await scriptedServer((_, response) => json(response, 200, configMap("a", "1")));
    const warnings: Error[] = [];
    const listen = (warning: Error) => warnings.push(warning);
    process.on("warning", listen);
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 30 }, () => get(server.connection, signal)));
    process.off("warning", listen);
    assert.deepEqual(warnings, []);
  });
});
