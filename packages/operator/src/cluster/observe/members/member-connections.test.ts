import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Endpoint } from "@etcd-operator/etcd-client";
import { connectEtcd, type EtcdClient } from "@etcd-operator/etcd-client";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { etcdBinaries } from "@etcd-operator/local-kubernetes";
import { type Authority, createAuthority, issueCertificate } from "@etcd-operator/local-kubernetes/pki.ts";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { anObservation } from "@etcd-operator/testing/cluster/an-observation.ts";
import { MemberUnderTest } from "@etcd-operator/testing/etcd/member-under-test.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { SecretReader } from "../../tls/secret-reader.ts";
import { askMembers } from "./ask-members.ts";
import { type Line, MemberConnections } from "./member-connections.ts";

const KEY = "prod/example";
const SIGNAL = new AbortController().signal;
const HOUR_MS = 3_600_000;
const PLAIN = anEtcdCluster();
const WITH_TLS = anEtcdCluster({ TLS: STATIC_TLS });

describe("connections to members", () => {
  let dialled: FakeConnection[];
  let connections: MemberConnections;

  const connect = (endpoint: Endpoint) => {
    const connection = new FakeConnection(endpoint);
    dialled.push(connection);
    return connection as unknown as EtcdClient;
  };

  beforeEach(() => {
    dialled = [];
    connections = new MemberConnections({
      secrets: new SecretReader({ get: neverAsked }),
      clock: new FakeClock(),
      connect,
    });
  });
  const lineTo = (member: string, podIP = "10.0.0.1", uid = `uid-of-${member}`) => {
    const pod = aMemberPod(PLAIN, { member, status: { phase: "Running", podIP }, metadata: { uid } });
    return connections.lineTo(PLAIN, pod, SIGNAL);
  };

  test("are made to the pod's address, and kept", async () => {
    assert.equal(clientIn(await lineTo("a")), clientIn(await lineTo("a")));
    await lineTo("b", "fd00::7");
    assert.deepEqual(
      dialled.map(({ endpoint }) => endpoint),
      [{ address: "10.0.0.1:2379" }, { address: "[fd00::7]:2379" }],
    );
  });

  test("are opened again for a pod with another address, or another pod of the same name", async () => {
    await lineTo("a");
    await lineTo("a", "10.0.0.2");
    await lineTo("a", "10.0.0.2", "another-uid");
    assert.deepEqual(
      dialled.map(({ isClosed }) => isClosed),
      [true, false, false],
    );
  });

  test("end with their pods, with their cluster, and all at once", async () => {
    for (const member of ["a", "b", "c"]) await lineTo(member);
    const [a, b, c] = dialled;
    connections.keepOnly(KEY, [aMemberPod(PLAIN, { member: "b" }), aMemberPod(PLAIN, { member: "c" })]);
    assert.deepEqual([a?.isClosed, b?.isClosed], [true, false]);
    connections.forget("prod/other");
    assert.equal(b?.isClosed, false);
    connections.forget(KEY);
    assert.deepEqual([b?.isClosed, c?.isClosed], [true, true]);
    await lineTo("a");
    connections.close();
    assert.ok(dialled.every(({ isClosed }) => isClosed));
  });

  test("that an idle cluster releases are closed, and opened again for the next reconcile", async () => {
    const client = clientIn(await lineTo("a"));
    connections.letGo(KEY);
    assert.equal(dialled[0]?.isClosed, true);
    assert.notEqual(clientIn(await lineTo("a")), client);
    assert.equal(dialled[1]?.isClosed, false);
  });

  test("are open for the action that follows the observation", async () => {
    const seen = anObservation();
    const client = clientIn(await lineTo("a"));
    assert.equal(await connections.clientOf(seen, "a"), client);
    await assert.rejects(connections.clientOf(seen, "b"), /no connection to pod 'b'/);
    const another = { ...seen, pods: seen.pods.map((pod) => ({ ...pod, uid: "another-uid" })) };
    await assert.rejects(connections.clientOf(another, "a"), /no connection to pod 'a'/);
  });

  test("use no TLS to a pod from before TLS was switched on", async () => {
    await connections.lineTo(WITH_TLS, aMemberPod(PLAIN, { member: "a" }), SIGNAL);
    assert.equal(dialled[0]?.endpoint.tls, undefined);
  });

  test("show all members of a cluster the very same credentials, so that TLS has to make something of them once", async () => {
    const secret = await operatorSecret(await createAuthority("CN=ca", HOUR_MS));
    const get = (async () => secret) as KubeClient["get"];
    connections = new MemberConnections({ secrets: new SecretReader({ get }), clock: new FakeClock(), connect });
    for (const member of ["a", "b"]) await connections.lineTo(WITH_TLS, aMemberPod(WITH_TLS, { member }), SIGNAL);
    const [a, b] = dialled.map(({ endpoint }) => endpoint);
    assert.ok(a?.tls);
    assert.equal(a.tls, b?.tls);
    assert.deepEqual([a.serverName, b?.serverName], ["a.example.prod.svc", "b.example.prod.svc"]);
  });

  test("are never made without TLS to a pod that serves it", async () => {
    const line = await connections.lineTo(PLAIN, aMemberPod(WITH_TLS, { member: "a" }), SIGNAL);
    assert.equal(line.kind, "barred");
    assert.deepEqual(dialled, []);
  });
});

describe("connections to a real member that requires certificates", () => {
  let dir: string;
  let authority: Authority;
  let member: MemberUnderTest;
  let clock: FakeClock;
  let secret: object;
  let connections: MemberConnections;
  const pod = aMemberPod(WITH_TLS, { member: "example-a" });

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "member-connections-"));
    authority = await createAuthority("CN=ca", HOUR_MS);
    const dnsNames = ["example-a.example.prod.svc"];
    const server = await issueCertificate(authority, { subject: "CN=a", usage: "server", dnsNames }, HOUR_MS);
    const file = async (name: string, text: string) => {
      await writeFile(join(dir, name), text);
      return join(dir, name);
    };
    const flags = [
      ...["--cert-file", await file("server.crt", server.cert), "--key-file", await file("server.key", server.key)],
      ...["--trusted-ca-file", await file("ca.crt", authority.cert), "--client-cert-auth"],
    ];
    const binary = (await etcdBinaries("3.5.16")).etcd;
    member = await MemberUnderTest.create({ binary, dir, name: "example-a", scheme: "https", flags });
    member.start();
    secret = await operatorSecret(authority);
    const probe = newConnections();
    await until(async () => (await ask(probe)).health === "healthy", { what: "the member to serve" });
    probe.close();
  });
  beforeEach(async () => {
    secret = await operatorSecret(authority);
    connections?.close();
    connections = newConnections();
  });
  afterAll(async () => {
    connections?.close();
    await member?.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const newConnections = () => {
    clock = new FakeClock();
    const get = (async () => secret) as KubeClient["get"];
    const connect = (endpoint: Endpoint) => connectEtcd({ ...endpoint, address: member.address });
    return new MemberConnections({ secrets: new SecretReader({ get }), clock, connect });
  };
  const ask = async (over = connections, { cluster = WITH_TLS, memberPod = pod } = {}) => {
    const toAsk = {
      uid: "a",
      memberId: undefined,
      peerUrl: "http://a:2380",
      isLeaving: false,
      line: () => over.lineTo(cluster, memberPod, SIGNAL),
      renewedLine: () => over.renewedLineTo(cluster, memberPod, SIGNAL),
    };
    const { answers } = await askMembers([toAsk], { clusterId: undefined, timeoutMs: 2_000, signal: SIGNAL });
    const answer = answers.get("a");
    assert.ok(answer);
    return answer;
  };

  test("let the operator in with its Secret, by the pod's DNS name", async () => {
    assert.equal((await ask()).health, "healthy");
  });

  test("are refused by a server without the name of the pod", async () => {
    const { health, why } = await ask(connections, { memberPod: aMemberPod(WITH_TLS, { member: "example-b" }) });
    assert.equal(health, "unknown");
    assert.match(why ?? "", /example-b\.example\.prod\.svc/);
  });

  test("end, with a word on the Secret, where it is incomplete", async () => {
    secret = { metadata: {}, data: {} };
    const { health, why } = await ask();
    assert.equal(health, "unknown");
    assert.match(why ?? "", /Secret 'prod\/operator' .* has no 'etcd-client\.crt'/);
  });

  test("recover from a rotation of the Secret within seconds, not a minute", async () => {
    secret = await operatorSecret(await createAuthority("CN=other-ca", HOUR_MS));
    assert.equal((await ask()).health, "unknown");
    secret = await operatorSecret(authority);
    assert.equal((await ask()).health, "unknown");
    await clock.advance(5_000);
    assert.equal((await ask()).health, "healthy");
  });

  test("change over to a rotated Secret after a minute", async () => {
    const before = clientIn(await connections.lineTo(WITH_TLS, pod, SIGNAL));
    secret = await operatorSecret(authority);
    await clock.advance(60_000);
    const after = clientIn(await connections.lineTo(WITH_TLS, pod, SIGNAL));
    assert.notEqual(after, before);
    await assert.rejects(before.status(), /the client was closed/);
    assert.equal((await ask()).health, "healthy");
  });
});

const neverAsked: KubeClient["get"] = async () => {
  throw new Error("no Secret should be read");
};

class FakeConnection {
  readonly endpoint: Endpoint;
  isClosed = false;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  close(): void {
    this.isClosed = true;
  }
}

function clientIn(line: Line): EtcdClient {
  assert.equal(line.kind, "open");
  return line.client;
}

async function operatorSecret(authority: Authority): Promise<object> {
  const { cert, key } = await issueCertificate(authority, { subject: "CN=operator", usage: "client" }, HOUR_MS);
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  return {
    metadata: { uid: "a", resourceVersion: randomUUID() },
    data: {
      "etcd-client.crt": base64(cert),
      "etcd-client.key": base64(key),
      "etcd-client-ca.crt": base64(authority.cert),
    },
  };
}
