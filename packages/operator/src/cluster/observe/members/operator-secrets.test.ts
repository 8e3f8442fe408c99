import assert from "node:assert/strict";
import { once } from "node:events";
import type { KubeClient, ObjectRef } from "@etcd-operator/kubernetes-client";
import { KubernetesError, type KubernetesErrorCode, keyOf } from "@etcd-operator/kubernetes-client";
import { createAuthority, issueCertificate, type KeyPair } from "@etcd-operator/local-kubernetes/pki.ts";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import type { Secret } from "kubernetes-types/core/v1.d.ts";
import { beforeAll, beforeEach, describe, test } from "vitest";
import { SecretReader } from "../../tls/secret-reader.ts";
import { type Credentials, OperatorSecrets } from "./operator-secrets.ts";

const CLUSTER = anEtcdCluster({ TLS: STATIC_TLS });
const KEY = "prod/example";
const SIGNAL = new AbortController().signal;

describe("the Secret with the operator's certificate", () => {
  let pair: KeyPair;
  let ca: string;
  let clock: FakeClock;
  let api: SecretApi;
  let secrets: OperatorSecrets;

  beforeAll(async () => {
    const authority = await createAuthority("CN=ca", 3_600_000);
    ca = authority.cert;
    pair = await issueCertificate(authority, { subject: "CN=operator", usage: "client" }, 3_600_000);
  });
  beforeEach(() => {
    clock = new FakeClock();
    api = new SecretApi(aSecret());
    secrets = new OperatorSecrets(new SecretReader(api.client), clock);
  });

  let written = 0;
  const aSecret = (change: Record<string, string | undefined> = {}): Secret => {
    const files = { "etcd-client.crt": pair.cert, "etcd-client.key": pair.key, "etcd-client-ca.crt": ca, ...change };
    const present = Object.entries(files).filter(([, text]) => text !== undefined);
    written += 1;
    return {
      metadata: { uid: "uid", resourceVersion: String(written) },
      data: Object.fromEntries(present.map(([file, text = ""]) => [file, Buffer.from(text).toString("base64")])),
    };
  };
  const read = (cluster = CLUSTER) => secrets.credentialsOf(cluster, SIGNAL);

  test("is read by the name in the spec", async () => {
    assert.deepEqual(await read(), { kind: "usable", tls: { ca, cert: pair.cert, key: pair.key } });
    assert.deepEqual(api.asked, ["prod/operator"]);
  });

  test("is read once a minute, and stays the same while it holds the same", async () => {
    const first = await read();
    await clock.advance(59_999);
    assert.equal(await read(), first);
    assert.equal(api.asked.length, 1);
    await clock.advance(1);
    assert.equal(await read(), first);
    assert.equal(api.asked.length, 2);
  });

  test("stays the same when it was written again with the same data", async () => {
    const first = await read();
    api.answer = aSecret();
    await clock.advance(60_000);
    assert.equal(await read(), first);
  });

  test("is parsed again only if it was written", async () => {
    const first = await read();
    const { metadata } = api.answer as Secret;
    api.answer = { metadata: { ...metadata }, data: { "etcd-client.crt": "which cannot be, of the same version" } };
    await clock.advance(60_000);
    assert.equal(await read(), first);
    api.answer = { ...api.answer, metadata: { ...metadata, uid: "another" } };
    await clock.advance(60_000);
    assert.equal((await read()).kind, "unusable");
  });

  test("is found to have changed after a minute", async () => {
    const first = await read();
    api.answer = aSecret({ "etcd-client-ca.crt": `${ca}${ca}` });
    await clock.advance(60_000);
    assert.notEqual(await read(), first);
  });

  test("is read sooner on suspicion, but once for all members and not within seconds", async () => {
    const first = await read();
    await clock.advance(4_999);
    assert.equal(await secrets.freshCredentialsOf(CLUSTER, SIGNAL), first);
    assert.equal(api.asked.length, 1);
    await clock.advance(1);
    await Promise.all([1, 2, 3].map(() => secrets.freshCredentialsOf(CLUSTER, SIGNAL)));
    assert.equal(api.asked.length, 2);
  });

  test("is read at once when the spec names another", async () => {
    await read();
    await read(anEtcdCluster({ TLS: { static: { ...STATIC_TLS.static, operatorSecret: "other" } } }));
    assert.deepEqual(api.asked, ["prod/operator", "prod/other"]);
  });

  test("is read again after the cluster was forgotten", async () => {
    await read();
    secrets.forget(KEY);
    await read();
    assert.equal(api.asked.length, 2);
  });

  const OTHER = anEtcdCluster({ TLS: STATIC_TLS }, { name: "other" });

  test("is read once for all clusters that name it, which share its contents", async () => {
    const [first, second] = await Promise.all([read(), read(OTHER)]);
    assert.equal(first, second);
    assert.deepEqual(api.asked, ["prod/operator"]);
    secrets.forget(KEY);
    assert.equal(await read(OTHER), first);
    secrets.forget("prod/other");
    await read(OTHER);
    assert.equal(api.asked.length, 2);
  });

  test("of the same name in another namespace is another", async () => {
    await read();
    await read(anEtcdCluster({ TLS: STATIC_TLS }, { namespace: "test" }));
    assert.deepEqual(api.asked, ["prod/operator", "test/operator"]);
  });

  test("is read by the next cluster if the one that was reading it stops", async () => {
    const giveUp = new AbortController();
    let asked = 0;
    const get = async (_: unknown, __: ObjectRef, { signal }: { readonly signal: AbortSignal }) => {
      asked += 1;
      if (asked > 1) return aSecret();
      if (!signal.aborted) await once(signal, "abort");
      throw new KubernetesError("canceled", { operation: "GET", message: "canceled" });
    };
    secrets = new OperatorSecrets(new SecretReader({ get: get as KubeClient["get"] }), clock);
    const given = secrets.credentialsOf(CLUSTER, giveUp.signal);
    const waiting = read(OTHER);
    giveUp.abort(new Error("enough"));
    await assert.rejects(given, /enough/);
    assert.equal((await waiting).kind, "usable");
    assert.equal(asked, 2);
  });

  test("is reported as missing by name, and read again after seconds", async () => {
    api.answer = "not-found";
    const said = /^Secret 'prod\/operator' of spec\.TLS\.static\.operatorSecret does not exist/;
    assert.match(whyOf(await read()), said);
    api.answer = aSecret();
    assert.match(whyOf(await read()), said);
    await clock.advance(5_000);
    assert.equal((await read()).kind, "usable");
  });

  test("is missed also when it was there before", async () => {
    await read();
    api.answer = "not-found";
    await clock.advance(60_000);
    assert.equal((await read()).kind, "unusable");
  });

  test("says which keys it lacks", async () => {
    api.answer = aSecret({ "etcd-client.key": undefined, "etcd-client-ca.crt": "" });
    assert.match(whyOf(await read()), /has no 'etcd-client\.key', 'etcd-client-ca\.crt'$/);
  });

  test("says when it holds no certificates", async () => {
    api.answer = aSecret({ "etcd-client.crt": "nonsense" });
    assert.match(whyOf(await read()), /Secret 'prod\/operator' .* has no valid etcd-client\.crt/);
  });

  test("is not named for a member that serves TLS", async () => {
    assert.match(whyOf(await read(anEtcdCluster())), /operatorSecret is not set/);
    assert.deepEqual(api.asked, []);
  });

  test("is taken as it was while the API server is away, if it was ever read", async () => {
    const first = await read();
    api.answer = "unavailable";
    await clock.advance(60_000);
    assert.equal(await read(), first);
    secrets.forget(KEY);
    assert.match(whyOf(await read()), /cannot be read: .*unavailable/);
  });

  test("is not taken as it was when reading it is forbidden", async () => {
    await read();
    api.answer = "forbidden";
    await clock.advance(60_000);
    assert.match(whyOf(await read()), /cannot be read: .*forbidden/);
  });

  test("is not remembered as missing when the read was cancelled", async () => {
    const giveUp = new AbortController();
    api.answer = "canceled";
    giveUp.abort(new Error("enough"));
    await assert.rejects(secrets.credentialsOf(CLUSTER, giveUp.signal), /enough/);
    api.answer = aSecret();
    assert.equal((await read()).kind, "usable");
  });
});

/** An API server with one Secret, or with trouble. */
class SecretApi {
  answer: Secret | KubernetesErrorCode;
  readonly asked: string[] = [];

  constructor(answer: Secret) {
    this.answer = answer;
  }

  get client(): Pick<KubeClient, "get"> {
    const get = async (_: unknown, ref: ObjectRef) => {
      this.asked.push(keyOf(ref));
      if (typeof this.answer !== "string") return this.answer;
      throw new KubernetesError(this.answer, { operation: "GET", message: this.answer });
    };
    return { get: get as KubeClient["get"] };
  }
}

function whyOf(credentials: Credentials): string {
  return credentials.kind === "unusable" ? credentials.why : "";
}
