import assert from "node:assert/strict";
import { createLogger, InformerSet } from "@etcd-operator/controller-runtime";
import { type Clock, hasCode, KubeClient, resources, systemClock } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { controllerAtWork, OUR_SCOPE } from "@etcd-operator/testing/controller/controller-at-work.ts";
import { type LocalApiServer, startLocalApiServer } from "@etcd-operator/testing/local/api-server.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import { customResourceDefinition } from "../api/crd/custom-resource-definition.ts";
import type { EtcdCluster } from "../api/etcd-cluster.ts";
import { API_VERSION, GROUP } from "../api/group.ts";
import { kinds } from "../api/kinds.ts";
import { ownResources } from "../objects/own-resources.ts";
import { chaosTargets } from "./chaos/chaos-targets.ts";
import { clusterController } from "./controller.ts";
import { watchObjects } from "./watched-objects.ts";

const { etcdClusters } = ownResources;
const { pods, services } = resources;
let server: LocalApiServer;
let client: KubeClient;
let namespace: string;
let count = 0;

beforeAll(async () => {
  server = await startLocalApiServer();
  client = new KubeClient(await connectionFromKubeconfig(server.kubeconfig));
  await client.create(resources.customResourceDefinitions, customResourceDefinition(kinds.EtcdCluster));
  await until(() => client.list(etcdClusters), { what: "EtcdClusters to be served" });
});
afterAll(async () => {
  await client?.close();
  await server?.stop();
});
beforeEach(async () => {
  count += 1;
  namespace = `test-${count}`;
  await client.create(resources.namespaces, { metadata: { name: namespace } });
});

/** Without one, admission lets no pod into a namespace. */
async function createServiceAccount(): Promise<void> {
  await client.create(resources.serviceAccounts, { metadata: { namespace, name: "default" } });
}

/** A controller at work on a real API server, without nodes: pods are made, and never run. */
async function atWork({ isLeading, clock }: { isLeading?: () => boolean; clock?: Clock } = {}) {
  const factory = clusterController({ chaosLevel: -1, guardImage: "etcd-operator:test" });
  return controllerAtWork(factory, { client, namespace, isLeading, clock });
}

async function create(name: string, { annotations = {}, ...spec }: Record<string, unknown> = {}) {
  const metadata = { namespace, name, annotations: annotations as Record<string, string> };
  return client.create(etcdClusters, { metadata, spec: { size: 3, ...spec } } as EtcdCluster);
}

async function statusOf(name: string) {
  return (await client.get(etcdClusters, { namespace, name })).status ?? {};
}

async function podsOf(name: string) {
  return (await client.list(pods, { namespace, labelSelector: `etcd_cluster=${name}` })).items;
}

describe("the controller", () => {
  test("makes the objects of a new cluster, and writes down which member bootstraps it", async () => {
    await createServiceAccount();
    await using _ = await atWork();
    await create("example");
    const seed = await until(async () => (await podsOf("example"))[0], { what: "the seed" });
    assert.equal(seed.spec?.initContainers?.[0]?.image, "etcd-operator:test");
    const names = (await client.list(services, { namespace })).items.map(({ metadata }) => metadata.name);
    assert.deepEqual(names.sort(), ["example", "example-client"]);
    const status = await statusOf("example");
    assert.equal(status.phase, "Creating");
    assert.deepEqual(
      status.memberIntents?.map(({ name, purpose }) => [name, purpose]),
      [[seed.metadata.name, "Seed"]],
    );
  });

  test("looks again when anything of a cluster changes", async () => {
    await createServiceAccount();
    await using _ = await atWork();
    await create("example");
    await until(async () => (await podsOf("example")).length === 1, { what: "the seed" });
    await client.delete(services, { namespace, name: "example-client" });
    // Sooner than the next look that is due anyway.
    await until(() => client.get(services, { namespace, name: "example-client" }), {
      what: "the Service to come back",
      timeoutMs: 5_000,
    });
  });

  test("checks again when Secrets of a cluster have changed, which no event reports", async () => {
    // A round over all Secrets in a moment; what was read of them is still good for a minute.
    const after: Clock["after"] = (ms, run) => systemClock.after(ms === 60_000 ? 20 : ms, run);
    const secret = { namespace, name: "etcd-tls" };
    await client.create(resources.secrets, { metadata: secret });
    await using _ = await atWork({ clock: { ...systemClock, after } });
    const TLS = {
      static: { member: { peerSecret: "etcd-tls", serverSecret: "etcd-tls" }, operatorSecret: "etcd-tls" },
    };
    await create("example", { TLS });
    const tells = (what: RegExp) => async () => what.test(JSON.stringify(await statusOf("example")));
    await until(tells(/etcd-tls.*peer\.crt/), { what: "a complaint about the Secret" });
    const data = { "peer.crt": Buffer.from("none").toString("base64") };
    await client.patch(resources.secrets, secret, { merge: { data } });
    await until(tells(/holds no certificate in PEM/), {
      what: "a complaint about what is in it now",
      timeoutMs: 30_000,
    });
  });

  test("leaves alone what is not in its scope", async () => {
    await using work = await atWork();
    await create("theirs", { annotations: { other: "operator" } });
    await create("ours", { paused: true });
    await until(async () => (await statusOf("ours")).controlPaused, { what: "a pass over ours" });
    assert.deepEqual(await statusOf("theirs"), {});
    assert.deepEqual(await podsOf("theirs"), []);
    assert.match(await work.page(), /^etcd_operator_controller_clusters 1$/m);
  });

  test("shows in the status what keeps it from creating a pod, and continues when that is fixed", async () => {
    await using _ = await atWork();
    await create("example");
    const degraded = async () => (await statusOf("example")).conditions?.find(({ type }) => type === "Degraded");
    const { reason, message = "" } = await until(
      async () => {
        const condition = await degraded();
        return condition?.status === "True" ? condition : undefined;
      },
      { what: "the cluster to be degraded" },
    );
    assert.equal(reason, "ActionFailed");
    assert.match(message, /^Starting example-\w+; but Kubernetes refuses it: .*service ?account/i);
    await createServiceAccount();
    await until(async () => (await degraded())?.status === "False", { what: "the cluster to be well" });
    assert.equal((await podsOf("example")).length, 1);
  });

  test("counts clusters, and forgets them when they go", async () => {
    await using work = await atWork();
    await create("example", { paused: true });
    const series = `ClusterName="example",Namespace="${namespace}"`;
    await until(async () => (await work.page()).includes(series), { what: "figures of the cluster" });
    await client.delete(etcdClusters, { namespace, name: "example" });
    await until(async () => !(await work.page()).includes(series), { what: "the figures to end" });
    assert.match(await work.page(), /^etcd_operator_controller_clusters 0$/m);
  });

  test("writes nothing once its Lease may be another's", async () => {
    await using work = await atWork({ isLeading: () => false });
    await create("example");
    await until(() => work.lines.some(({ reason }) => reason === "not-leading"), { what: "a pass that gave up" });
    assert.deepEqual(await podsOf("example"), []);
    assert.deepEqual(await statusOf("example"), {});
    await assert.rejects(client.get(services, { namespace, name: "example" }), (error) => hasCode(error, "not-found"));
  });

  test("reports its steps in Events", async () => {
    await createServiceAccount();
    await using _ = await atWork();
    const cluster = await create("example");
    await until(
      async () => {
        const { items } = await client.list(resources.events, { namespace });
        const ours = items.filter(({ involvedObject }) => involvedObject.uid === cluster.metadata.uid);
        return ours.some(({ reason }) => reason === "New Member Added");
      },
      { what: "an Event" },
    );
  });
});

describe("chaos", () => {
  /** A pod as members have them, with an owner or without. */
  async function createPod(name: string, cluster: string, owner?: { uid: string }) {
    const reference = { apiVersion: API_VERSION, kind: "EtcdCluster", name: cluster, uid: owner?.uid ?? "" };
    const labels = { app: "etcd", etcd_cluster: cluster };
    const ownerReferences = owner ? [reference] : [];
    const spec = { containers: [{ name: "etcd", image: "etcd" }] };
    return client.create(pods, { metadata: { namespace, name, labels, ownerReferences }, spec });
  }

  test("kills members of clusters in our scope, and no other pods", async () => {
    await createServiceAccount();
    const [ours, theirs] = [await create("ours"), await create("theirs", { annotations: { other: "operator" } })];
    await createPod("member", "ours", ours.metadata);
    await createPod("stranger", "ours");
    await createPod("other", "theirs", theirs.metadata);
    const abort = new AbortController();
    const informers = new InformerSet({ client, namespace, logger: createLogger({ level: "silent" }) });
    const watched = watchObjects(informers);
    const following = informers.run(abort.signal);
    await informers.waitForSync(abort.signal);
    let isLeading = false;
    const targets = chaosTargets(watched, { client, scope: OUR_SCOPE, isLeading: () => isLeading });
    assert.deepEqual(targets.pods(), []);
    isLeading = true;
    const [victim, ...more] = targets.pods();
    assert.ok(victim);
    assert.deepEqual([targets.nameOf(victim), more], [`${namespace}/member`, []]);
    await targets.kill(victim, abort.signal);
    await until(async () => targets.pods().length === 0, { what: "the pod to go" });
    abort.abort();
    await following;
  });
});

test("its Lease and its needs are known before it is made", () => {
  const { name, needs } = clusterController({ chaosLevel: -1, guardImage: "" });
  assert.equal(name, "clusters");
  assert.deepEqual(
    needs.map(({ group, plural }) => `${plural}.${group}`),
    [`etcdclusters.${GROUP}`],
  );
});
