import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { type LocalApiServer, startLocalApiServer } from "@etcd-operator/testing/local/api-server.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { type Connection, restOver } from "../../../conformance/rest.ts";
import { createAuthority, issueCertificate, type KeyPair } from "../../pki.ts";
import type { ApiContext } from "../api-context.ts";
import { authenticatorFor } from "./authentication.ts";

let server: LocalApiServer;

beforeAll(async () => {
  server = await startLocalApiServer();
});
afterAll(() => server?.stop());

const HOUR_MS = 3_600_000;

async function whoami(shown: Partial<Connection>) {
  const rest = restOver({ server: server.server, ca: readFileSync(server.ca), ...shown });
  const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  const { code, body } = await rest<{ status: { userInfo?: object } }>("POST", path, {});
  return { code, ...body.status?.userInfo };
}

const inMemory = ({ cert, key }: KeyPair) => ({ cert: Buffer.from(cert), key: Buffer.from(key) });

describe("who a client certificate is of", () => {
  test("is in its subject: the name, and the groups as organizations", async () => {
    const found = await whoami(inMemory(await server.certify("CN=jane, O=dev, O=ops")));
    const { extra, ...user } = found as { extra?: Record<string, string[]> };
    assert.deepEqual(user, { code: 201, username: "jane", groups: ["dev", "ops", "system:authenticated"] });
    assert.match(extra?.["authentication.kubernetes.io/credential-id"]?.[0] ?? "", /^X509SHA256=[0-9a-f]{64}$/);
  });

  test("does not matter where another CA signed it", async () => {
    const stranger = await createAuthority("CN=stranger", HOUR_MS);
    const subject = { subject: "CN=jane, O=system:masters", usage: "client" } as const;
    const pair = await issueCertificate(stranger, subject, HOUR_MS);
    assert.equal((await whoami(inMemory(pair))).code, 401);
  });

  test("goes before a token", async () => {
    const shown = { ...inMemory(await server.certify("CN=jane, O=dev")), token: server.token };
    assert.equal(((await whoami(shown)) as { username?: string }).username, "jane");
  });
});

test("a connection that has shown a good token is looked at again when it shows another", async () => {
  const authenticator = authenticatorFor({} as ApiContext, "secret\nother,joe,dev");
  const socket = { getPeerCertificate: () => ({}) };
  const userOf = async (authorization?: string) => {
    const { username } = await authenticator.authenticate({ socket, headers: { authorization } } as never);
    return username;
  };
  assert.equal(await userOf("Bearer secret"), "kubernetes-admin");
  assert.equal(await userOf("Bearer secret"), "kubernetes-admin");
  assert.equal(await userOf("Bearer other"), "joe");
  assert.equal(await userOf(), "system:anonymous");
  assert.equal(await userOf("Bearer secret"), "kubernetes-admin");
});
