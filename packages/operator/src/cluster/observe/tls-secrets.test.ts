import assert from "node:assert/strict";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { SecretApi } from "@etcd-operator/testing/tls/secret-api.ts";
import { dataOf, SecretsUnderTest } from "@etcd-operator/testing/tls/tls-secrets.ts";
import { beforeAll, beforeEach, describe, test } from "vitest";
import { SecretReader } from "../tls/secret-reader.ts";
import { TLS_ROLES, type TlsRole } from "../tls/secret-roles.ts";
import { MemberSecrets } from "./tls-secrets.ts";

const CLUSTER = anEtcdCluster({ TLS: STATIC_TLS });
const KEY = "prod/example";
const SIGNAL = new AbortController().signal;

describe("the Secrets of a cluster", () => {
  let made: SecretsUnderTest;
  let clock: FakeClock;
  let api: SecretApi;
  let secrets: MemberSecrets;

  beforeAll(async () => {
    made = await SecretsUnderTest.create();
  });
  beforeEach(() => {
    clock = new FakeClock();
    api = new SecretApi();
    for (const role of TLS_ROLES) put(role, "1");
    secrets = new MemberSecrets(new SecretReader(api.client), clock);
  });

  const put = (role: TlsRole, resourceVersion: string) =>
    api.answers.set(`prod/${role}`, {
      metadata: { uid: `uid-${role}`, resourceVersion },
      data: dataOf(role, made.files(role)),
    });
  const read = () => secrets.secretsOf(CLUSTER, SIGNAL);
  const haveChanged = (cluster = CLUSTER) => secrets.haveChanged(cluster, SIGNAL);

  test("are read once a minute at most", async () => {
    const first = await read();
    await clock.advance(59_999);
    assert.equal(await read(), first);
    assert.equal(api.asked.length, 3);
    await clock.advance(1);
    await read();
    assert.equal(api.asked.length, 6);
  });

  test("are parsed again only if one was written", async () => {
    const first = await read();
    await clock.advance(60_000);
    assert.equal(await read(), first);
    put("peer", "2");
    await clock.advance(60_000);
    assert.notEqual(await read(), first);
  });

  test("are parsed once for all clusters that name them, and only those that were written again", async () => {
    const first = await read();
    const other = await secrets.secretsOf(anEtcdCluster({ TLS: STATIC_TLS }, { name: "other" }), SIGNAL);
    assert.deepEqual(other, first);
    for (const role of TLS_ROLES) assert.equal(other?.[role], first?.[role], role);
    put("peer", "2");
    await clock.advance(60_000);
    const later = await read();
    assert.notEqual(later?.peer, first?.peer);
    assert.equal(later?.server, first?.server);
  });

  test("that have not changed are as good as new, without being read again", async () => {
    const first = await read();
    await clock.advance(59_000);
    assert.equal(await haveChanged(), false);
    await clock.advance(59_000);
    assert.equal(await read(), first);
  });

  test("that have changed are read by the next reconcile, and reported until then", async () => {
    const first = await read();
    put("server", "2");
    assert.equal(await haveChanged(), true);
    assert.equal(await haveChanged(), true, "no reconcile has read them");
    assert.notEqual(await read(), first);
    assert.equal(await haveChanged(), false);
  });

  test("that were deleted, or made, have changed", async () => {
    await read();
    api.answers.delete("prod/operator");
    assert.equal(await haveChanged(), true);
    assert.deepEqual((await read())?.operator, { kind: "missing", name: "operator" });
    put("operator", "3");
    assert.equal(await haveChanged(), true);
  });

  test("stay what they were while the API server cannot be asked", async () => {
    const first = await read();
    put("peer", "2");
    await haveChanged();
    api.answers.set("prod/peer", "unavailable");
    assert.equal(await read(), first);
    assert.equal(await haveChanged(), true, "so the next look is not minutes away");
  });

  test("that were never read are reported as such while the API server does not answer, and read at the next reconcile", async () => {
    api.answers.set("prod/peer", "unavailable");
    assert.deepEqual((await read())?.peer, { kind: "unread", name: "peer" });
    put("peer", "1");
    assert.equal((await read())?.peer?.kind, "present");
  });

  test("of which nothing is known, or whose cluster is gone or names others, have not changed", async () => {
    assert.equal(await haveChanged(), false);
    await read();
    const other = { static: { ...STATIC_TLS.static, operatorSecret: "another" } };
    assert.equal(await haveChanged(anEtcdCluster({ TLS: other })), false);
    secrets.forget(KEY);
    put("peer", "2");
    assert.equal(await haveChanged(), false);
    assert.equal(api.asked.length, 3);
  });
});
