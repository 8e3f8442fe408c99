import assert from "node:assert/strict";
import type { CallOptions, EtcdClient, MemberStatus } from "@etcd-operator/etcd-client";
import { EtcdError } from "@etcd-operator/etcd-client";
import { KubeClient } from "@etcd-operator/kubernetes-client";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { anEtcdCluster, STATIC_TLS } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import {
  answersOf,
  aWorld,
  EMPTY_WORLD,
  fillCaches,
  newCaches,
  RECORDED_CLUSTER,
  stored,
  type World,
} from "@etcd-operator/testing/cluster/cached-world.ts";
import { errorOf } from "@etcd-operator/testing/kubernetes/error-of.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import {
  failure,
  json,
  type ScriptedServer,
  scriptedServer,
} from "@etcd-operator/testing/kubernetes/scripted-server.ts";
import { afterEach, beforeEach, describe, test } from "vitest";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import { RESTORE_UID_ANNOTATION } from "../api/restore-request.ts";
import type { Observation } from "./model/observation.ts";
import { ANNOTATIONS } from "./objects/annotations.ts";
import { MemberConnections } from "./observe/members/member-connections.ts";
import { createObserver, type Observer } from "./observe.ts";
import { SecretReader } from "./tls/secret-reader.ts";

const KEY = "prod/example";
const SIGNAL = new AbortController().signal;
const FROM_CACHES = { mustReadLive: false };
const LIVE = { mustReadLive: true };
describe("an observer", () => {
  let world: World;
  let answers: Record<string, unknown>;
  let server: ScriptedServer;
  let client: KubeClient;
  let observer: Observer;
  let dialled: FakeMember[];
  let isCovered: boolean;
  let clock: FakeClock;
  const caches = newCaches();

  beforeEach(async () => {
    dialled = [];
    isCovered = true;
    world = aWorld();
    answers = {};
    fill(world);
    server = await scriptedServer(({ path }, response) => {
      const answer = answers[path];
      json(response, answer === undefined ? 404 : 200, answer ?? failure(404, "NotFound"));
    });
    client = new KubeClient(server.connection);
    clock = new FakeClock();
    const connect = ({ address }: { address: string }) => dial(address);
    const secrets = new SecretReader(client);
    const connections = new MemberConnections({ secrets, clock, connect });
    const scope = { covers: () => isCovered };
    observer = createObserver({ client, readers: caches, secrets, connections, scope, clock, random: () => 0.5 });
  });
  afterEach(async () => {
    observer.close();
    await client.close();
    await server[Symbol.asyncDispose]();
  });

  const fill = (shown: World) => fillCaches(caches, shown);
  const dial = (address: string): EtcdClient => {
    const member = new FakeMember(address);
    dialled.push(member);
    return member as unknown as EtcdClient;
  };
  const observe = async (pass = FROM_CACHES): Promise<Observation> => {
    const seen = await observer.observe(KEY, SIGNAL, pass);
    assert.ok(seen);
    return seen;
  };

  test("sees a cluster from the caches and its members, without a request to the API server", async () => {
    const seen = await observe();
    assert.deepEqual(seen.problems, []);
    assert.equal(seen.nowMs, new FakeClock().now());
    assert.equal(seen.cluster.metadata.uid, "uid-1");
    assert.deepEqual(
      Object.values(seen.objects).map(({ kind }) => kind),
      ["ours", "ours", "ours"],
    );
    assert.deepEqual(
      seen.pods.map(({ name }) => name),
      ["example-a", "example-b"],
    );
    assert.deepEqual(
      seen.claims.map(({ name }) => name),
      ["example-a"],
    );
    assert.deepEqual(seen.strangers, { leftoverPods: ["example-old"], foreignPods: ["example-foreign"] });
    assert.equal(seen.membership.kind, "confirmed");
    assert.deepEqual([seen.freshNames.length, seen.freshNames[0]], [7, "example-ssssssssss"]);
    assert.deepEqual(server.requests, []);
  });

  test("asks the members that run, and says why it did not ask the others", async () => {
    world.pods.push(aMemberPod(RECORDED_CLUSTER, { member: "example-c", status: { phase: "Running" } }));
    world.pods.push(
      aMemberPod(RECORDED_CLUSTER, { member: "example-d", status: { phase: "Failed", podIP: "10.0.0.9" } }),
    );
    fill(world);
    const [a, b, c, d] = (await observe()).pods.map(({ answer }) => answer);
    assert.deepEqual(
      dialled.map(({ endpoint }) => endpoint),
      ["10.0.0.1:2379"],
    );
    assert.deepEqual([a?.health, a?.status?.clusterId], ["healthy", "c1"]);
    assert.deepEqual(b, { health: "unknown", why: "its pod does not run yet" });
    assert.deepEqual(c, { health: "unknown", why: "its pod has no address" });
    assert.deepEqual(d, { health: "unknown", why: "its pod has ended" });
  });

  test("accepts only the member whose id is written on the pod", async () => {
    world.pods[0] = aMemberPod(RECORDED_CLUSTER, {
      member: "example-a",
      start: { kind: "returning", clusterId: "c1", memberId: "bb" },
    });
    fill(world);
    const { answer } = (await observe()).pods[0] ?? {};
    const why = "another member responds at 10.0.0.1:2379: its ID is a1, expected bb";
    assert.deepEqual(answer, { health: "unknown", why, otherMemberId: "a1" });
  });

  test("queries no member that a restore has stopped, and shows them apart", async () => {
    const { restore } = inRestore("Fencing");
    assert.ok(restore && world.cluster);
    const cluster = { ...world.cluster, status: { restore: { ...restore, incarnation: 3 } } };
    const annotations = { [ANNOTATIONS.incarnation]: "3", [RESTORE_UID_ANNOTATION]: "r1" };
    const seed = aMemberPod(cluster, {
      member: "example-new",
      status: { phase: "Pending" },
      metadata: { annotations },
    });
    fill({ ...world, cluster, pods: [...world.pods, seed] });
    const { pods, claims, setAside } = await observe();
    assert.deepEqual([dialled, claims], [[], []]);
    assert.deepEqual(
      setAside.pods.map(({ name }) => name),
      ["example-a", "example-b"],
    );
    assert.deepEqual(
      pods.map(({ name, restoring }) => [name, restoring?.lacksSecret]),
      [["example-new", true]],
    );
    assert.equal(setAside.claims.length, 1);
  });

  test("does not wait for a member that did not answer, but gives it its full time now and then", async () => {
    await observe();
    const [member] = dialled;
    assert.ok(member);
    member.isSilent = true;
    for (const afterMs of [0, 1_000, 8_000, 1_000, 19_000, 1_000]) {
      await clock.advance(afterMs);
      const answer = (await observe()).pods.find(({ name }) => name === "example-a")?.answer;
      assert.deepEqual([answer?.health, answer?.isSilent], ["unknown", true]);
    }
    member.isSilent = false;
    await observe();
    await observe();
    const [usual, short] = [2_000, 250];
    assert.deepEqual(member.patienceMs, [usual, usual, short, short, usual, short, usual, short, usual]);
  });

  test("keeps connections from pass to pass, and closes those to pods that are gone", async () => {
    await observe();
    await observe();
    assert.deepEqual(
      dialled.map(({ isClosed }) => isClosed),
      [false],
    );
    world.pods.shift();
    fill(world);
    await observe();
    assert.deepEqual(
      dialled.map(({ isClosed }) => isClosed),
      [true],
    );
  });

  test("sees nothing of a cluster that is gone or not ours, and closes the connections to its members", async () => {
    await observe();
    isCovered = false;
    assert.equal(await observer.observe(KEY, SIGNAL, FROM_CACHES), undefined);
    assert.equal(dialled[0]?.isClosed, true);
    isCovered = true;
    await observe();
    fill({ ...world, cluster: undefined });
    assert.equal(await observer.observe(KEY, SIGNAL, FROM_CACHES), undefined);
    assert.equal(dialled[1]?.isClosed, true);
  });

  test("closes its connections when asked to", async () => {
    await observe();
    observer.forget(KEY);
    assert.equal(dialled[0]?.isClosed, true);
    await observe();
    observer.close();
    assert.equal(dialled[1]?.isClosed, true);
  });

  test("asks by name for what the caches do not show, which may be foreign, without our labels", async () => {
    const [, , budget] = [...world.services, ...world.budgets];
    answers["/api/v1/namespaces/prod/services/example-client"] = { ...world.services[1], metadata: { name: "x" } };
    answers["/apis/policy/v1/namespaces/prod/poddisruptionbudgets/example"] = budget;
    fill({ ...world, services: [], budgets: [] });
    const { peerService: peer, clientService: clients, disruptionBudget } = (await observe()).objects;
    assert.deepEqual([peer.kind, clients.kind, disruptionBudget.kind], ["missing", "foreign", "ours"]);
    assert.equal(server.requests.length, 3);
  });

  test("takes an object of its name and labels for foreign when another cluster owns it", async () => {
    const [peer, clients] = world.services;
    assert.ok(peer && clients);
    const ownerReferences = (peer.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, uid: "uid-0" }));
    fill({ ...world, services: [{ ...peer, metadata: { ...peer.metadata, ownerReferences } }, clients] });
    assert.equal((await observe()).objects.peerService.kind, "foreign");
  });

  test("does not take for missing what it could not read", async () => {
    const broken = new KubeClient({ ...server.connection, server: "http://127.0.0.1:1" });
    const secrets = new SecretReader(broken);
    const connections = new MemberConnections({ secrets, clock: new FakeClock() });
    const scope = { covers: () => true };
    const blind = createObserver({
      ...{ client: broken, readers: caches, secrets, connections, scope },
      ...{ clock: new FakeClock(), random: () => 0 },
    });
    fill({ ...world, pods: [], services: [] });
    assert.equal((await errorOf(blind.observe(KEY, SIGNAL, FROM_CACHES))).code, "unavailable");
    await broken.close();
  });

  test("reads everything from the API server when the caches are behind, and the cluster last", async () => {
    answers = answersOf(world);
    fill(EMPTY_WORLD);
    const seen = await observe(LIVE);
    assert.deepEqual(
      seen.pods.map(({ name }) => name),
      ["example-a", "example-b"],
    );
    assert.deepEqual(
      seen.claims.map(({ name }) => name),
      ["example-a"],
    );
    assert.deepEqual(
      Object.values(seen.objects).map(({ kind }) => kind),
      ["ours", "ours", "ours"],
    );
    const lists = server.requests.filter(({ query }) => query.get("labelSelector") === "app=etcd,etcd_cluster=example");
    assert.deepEqual(lists.map(({ path }) => path).sort(), [
      "/api/v1/namespaces/prod/persistentvolumeclaims",
      "/api/v1/namespaces/prod/pods",
    ]);
    const asked = server.requests.map(({ path }) => path);
    assert.equal(
      asked.findIndex((path) => path.endsWith("/etcdclusters/example")),
      2,
    );
  });

  test("trusts the API server that a cluster is gone, whatever the caches say", async () => {
    const empty = { metadata: { resourceVersion: "9" }, items: [] };
    for (const kind of ["pods", "persistentvolumeclaims"]) answers[`/api/v1/namespaces/prod/${kind}`] = empty;
    assert.equal(await observer.observe(KEY, SIGNAL, LIVE), undefined);
  });

  test("reports what is wrong with a spec, and checks the members all the same", async () => {
    const cluster = { ...RECORDED_CLUSTER, spec: { ...RECORDED_CLUSTER.spec, size: 99 } };
    fill({ ...world, cluster: stored<EtcdCluster>(cluster) });
    const seen = await observe();
    assert.match(seen.problems.join(), /spec\.size: 99/);
    assert.deepEqual([seen.invalidFields, seen.cluster.spec.size], [["spec.size"], 1]);
    assert.equal(seen.pods[0]?.answer.health, "healthy");
  });

  test("survives a cluster without any spec", async () => {
    fill({
      ...world,
      cluster: { ...stored<EtcdCluster>(RECORDED_CLUSTER), spec: undefined as unknown as EtcdCluster["spec"] },
    });
    assert.ok((await observe()).problems.length > 0);
  });

  test("names the missing Secret as the reason why no member was seen", async () => {
    const cluster = { ...anEtcdCluster({ TLS: STATIC_TLS }), status: { clusterID: "c1" } };
    fill({ ...world, cluster: stored<EtcdCluster>(cluster), pods: [aMemberPod(cluster, { member: "example-a" })] });
    const { pods, membership } = await observe();
    assert.match(pods[0]?.answer.why ?? "", /Secret 'prod\/operator' .* does not exist/);
    assert.deepEqual([pods[0]?.answer.health, membership.kind, dialled], ["unknown", "unknown", []]);
  });
});

/** A healthy member of cluster c1. */
class FakeMember implements Pick<EtcdClient, "status" | "range" | "members" | "close"> {
  readonly endpoint: string;
  isClosed = false;
  isSilent = false;
  /** How long it was given for each answer. */
  readonly patienceMs: (number | undefined)[] = [];

  constructor(endpoint: string) {
    this.endpoint = endpoint;
  }

  status = async ({ timeoutMs }: CallOptions = {}): Promise<MemberStatus> => {
    this.patienceMs.push(timeoutMs);
    if (this.isSilent)
      throw new EtcdError("deadline", { operation: "Status", endpoint: this.endpoint, reason: "silent" });
    return {
      ...{ clusterId: 0xc1n, memberId: 0xa1n, version: "3.5.30", leaderId: 0xa1n, isLearner: false },
      ...{ revision: 1n, raftTerm: 1n, raftIndex: 1n, dbSizeBytes: 1, errors: [] },
    };
  };

  range = async () => ({ revision: 1n, keyValues: [], hasMore: false, count: 0 });

  members = async () => [{ id: 0xa1n, name: "example-a", peerUrls: [], clientUrls: [], isLearner: false }];

  close = () => {
    this.isClosed = true;
  };
}
