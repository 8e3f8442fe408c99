import assert from "node:assert/strict";
import { KubernetesError, type KubernetesErrorCode, LeastRecent } from "@etcd-operator/kubernetes-client";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { SecretApi } from "@etcd-operator/testing/tls/secret-api.ts";
import { dataOf, SecretsUnderTest } from "@etcd-operator/testing/tls/tls-secrets.ts";
import { beforeAll, beforeEach, describe, test } from "vitest";
import { readTlsSecrets, tlsSecretsIn } from "./read-tls-secrets.ts";
import { SecretReader } from "./secret-reader.ts";
import { TLS_ROLES } from "./secret-roles.ts";

const CLUSTER = anEtcdCluster({ TLS: STATIC_TLS });
const SIGNAL = new AbortController().signal;

describe("reading the Secrets of TLS", () => {
  let made: SecretsUnderTest;
  let api: SecretApi;

  beforeAll(async () => {
    made = await SecretsUnderTest.create();
  });
  beforeEach(() => {
    api = new SecretApi();
    for (const role of TLS_ROLES)
      api.answers.set(`prod/${role}`, { metadata: { uid: role }, data: dataOf(role, made.files(role)) });
  });

  test("asks for those that the spec names, by name, and parses them", async () => {
    const secrets = await read();
    assert.deepEqual(api.asked, ["prod/peer", "prod/server", "prod/operator"]);
    for (const role of TLS_ROLES) {
      const secret = secrets[role];
      assert.ok(secret?.kind === "present" && secret.key.kind === "usable" && secret.ca.kind === "usable");
      assert.equal(secret.name, role);
    }
  });

  test("asks for nothing that the spec does not name", async () => {
    assert.deepEqual(await read(anEtcdCluster()), {});
    assert.deepEqual(api.asked, []);
    await read(anEtcdCluster({ TLS: { static: { member: { peerSecret: "peer", serverSecret: "" } } } }));
    assert.deepEqual(api.asked, ["prod/peer"]);
  });

  test("takes a Secret that is missing, or that it may not read, for a value", async () => {
    api.answers.delete("prod/peer");
    api.answers.set("prod/server", "forbidden");
    const { peer, server, operator } = await read();
    assert.deepEqual(peer, { kind: "missing", name: "peer" });
    assert.deepEqual(server, { kind: "forbidden", name: "server" });
    assert.equal(operator?.kind, "present");
  });

  test("finds no files in a Secret without data", async () => {
    api.answers.set("prod/peer", { metadata: { uid: "empty" } });
    const { peer } = await read();
    assert.equal(peer?.kind === "present" && peer.certificate.kind, "missing");
  });

  test.each<KubernetesErrorCode>(["timeout", "unavailable", "unauthorized", "canceled"])(
    "throws when it could not find out: %s",
    async (code) => {
      api.answers.set("prod/server", code);
      await assert.rejects(read(), (error) => error instanceof KubernetesError && error.code === code);
    },
  );

  async function read(cluster = CLUSTER) {
    return tlsSecretsIn(await readTlsSecrets(new SecretReader(api.client), cluster, SIGNAL), new LeastRecent(8));
  }
});
