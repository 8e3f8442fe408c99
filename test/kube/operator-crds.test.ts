import assert from "node:assert/strict";
import { createLogger } from "@etcd-operator/controller-runtime";
import { hasCode, KubeClient, resources, systemClock } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { GROUP, VERSION } from "@etcd-operator/operator/api/group.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { createCrds } from "@etcd-operator/operator/process/create-crds.ts";
import { waitUntilServed } from "@etcd-operator/operator/process/wait-until-served.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";

const kube = injectedKube();
const { etcdClusters, etcdBackups, etcdRestores } = ownResources;
const { customResourceDefinitions: crds } = resources;
const plurals = ["etcdclusters", "etcdbackups", "etcdrestores"];
const REVISION = `${GROUP}/schema-revision`;
const nameOf = (plural: string) => `${plural}.${GROUP}`;
const CLUSTERS = nameOf("etcdclusters");
const HOLD = "example.com/hold";
const never = new AbortController().signal;

const clients: KubeClient[] = [];
let admin: KubeClient;
let lines: { level: string; msg: string; crd?: string }[];

async function connect(kubeconfig: string): Promise<KubeClient> {
  const client = new KubeClient(await connectionFromKubeconfig(kubeconfig), { userAgent: "operator-crds-test" });
  clients.push(client);
  return client;
}

beforeAll(async () => {
  admin = await connect(kube.adminKubeconfig);
});
beforeEach(async () => {
  lines = [];
  await removeCrds();
});
afterAll(async () => {
  await applyCrds(kube);
  await Promise.all(clients.map((client) => client.close()));
});

async function removeCrds(): Promise<void> {
  const isGone = async (plural: string) => {
    const answer = await admin.delete(crds, { name: nameOf(plural) }).catch((error: unknown) => error);
    return hasCode(answer, "not-found");
  };
  await until(async () => (await Promise.all(plurals.map(isGone))).every(Boolean), { what: "the CRDs to be gone" });
}

/** Takes the test's finalizer off; the API server adds and removes one of its own at the same time. */
async function release(): Promise<void> {
  const tryIt = async () => {
    const { metadata } = await admin.get(crds, { name: CLUSTERS });
    const at = metadata.finalizers?.indexOf(HOLD) ?? -1;
    const path = `/metadata/finalizers/${at}`;
    const json = [{ op: "test", path, value: HOLD } as const, { op: "remove", path } as const];
    if (at >= 0) await admin.patch(crds, { name: CLUSTERS }, { json });
    return true;
  };
  await until(tryIt, { what: "the finalizer to be off", timeoutMs: 5_000 });
}

function surroundings(client: KubeClient) {
  const logger = createLogger({ level: "debug", write: (line) => lines.push(JSON.parse(line)) });
  return { client, logger, clock: systemClock, random: Math.random };
}

const run = (client = admin, signal = never) => createCrds(surroundings(client), signal);
const said = (msg: string) => lines.filter((line) => line.msg === msg).map(({ crd }) => crd);

describe("--create-crd", () => {
  test("creates the three CRDs and returns when they can be used", async () => {
    await run();
    await waitUntilServed(
      [etcdClusters, etcdBackups, etcdRestores],
      { ...surroundings(admin), namespace: undefined },
      never,
    );
    const namespace = await kube.freshNamespace();
    const created = await admin.create(etcdClusters, {
      metadata: { namespace, name: "first" },
      spec: { size: 1 },
    } as Parameters<typeof admin.create<{ metadata?: object }>>[1]);
    assert.equal(
      (created as { spec?: { repository?: string } }).spec?.repository,
      "quay.io/coreos/etcd",
      "defaults are in force",
    );
    assert.deepEqual(said("CRD created").sort(), plurals.map(nameOf).sort());
  });

  test("changes nothing the second time", async () => {
    await run();
    const before = await admin.get(crds, { name: CLUSTERS });
    await run();
    const after = await admin.get(crds, { name: CLUSTERS });
    assert.equal(after.metadata.generation, before.metadata.generation);
    assert.equal(said("CRD created").length, 3);
    assert.deepEqual(said("CRD updated"), []);
  });

  test("is done well by five operators that start at once", async () => {
    await Promise.all(Array.from({ length: 5 }, () => run()));
    assert.equal(said("CRD created").length, 3, "each is created once");
    assert.deepEqual(
      lines.filter(({ level }) => level === "warn" || level === "error"),
      [],
    );
  });

  test("brings an older CRD up to date, also with five at once, and leaves the notes of others on it", async () => {
    await run();
    const stored = await admin.get(crds, { name: CLUSTERS });
    const annotations = { mine: "kept", [REVISION]: "0" };
    const [version] = stored.spec.versions;
    assert.ok(version);
    const old = { ...version, additionalPrinterColumns: [] };
    await admin.update(crds, {
      ...stored,
      metadata: { ...stored.metadata, annotations },
      spec: { ...stored.spec, versions: [old] },
    });
    await Promise.all(Array.from({ length: 5 }, () => run()));
    const { metadata, spec } = await admin.get(crds, { name: CLUSTERS });
    assert.equal(metadata.annotations?.mine, "kept");
    assert.notEqual(metadata.annotations?.[REVISION], "0");
    assert.ok((spec.versions[0]?.additionalPrinterColumns ?? []).length > 0);
    assert.deepEqual(said("CRD updated"), [CLUSTERS]);
  });

  test("never replaces a newer CRD", async () => {
    await run();
    const stored = await admin.get(crds, { name: CLUSTERS });
    const names = { ...stored.spec.names, shortNames: ["etcd", "fromthefuture"] };
    const annotations = { ...stored.metadata.annotations, [REVISION]: "999" };
    await admin.update(crds, {
      ...stored,
      metadata: { ...stored.metadata, annotations },
      spec: { ...stored.spec, names },
    });
    const before = await admin.get(crds, { name: CLUSTERS });
    await run();
    const after = await admin.get(crds, { name: CLUSTERS });
    assert.equal(after.metadata.generation, before.metadata.generation);
    assert.deepEqual(after.spec.names.shortNames, ["etcd", "fromthefuture"]);
    assert.ok(lines.some(({ msg, level }) => level === "warn" && /'999' is newer than our/.test(msg)));
  });

  test("takes over a CRD that was born as apiextensions v1beta1", async () => {
    await kube.putStored(`/registry/apiextensions.k8s.io/customresourcedefinitions/${CLUSTERS}`, {
      apiVersion: "apiextensions.k8s.io/v1beta1",
      kind: "CustomResourceDefinition",
      metadata: { name: CLUSTERS },
      spec: {
        group: GROUP,
        version: VERSION,
        versions: [{ name: VERSION, served: true, storage: true }],
        scope: "Namespaced",
        preserveUnknownFields: true,
        names: { kind: "EtcdCluster", listKind: "EtcdClusterList", plural: "etcdclusters", singular: "etcdcluster" },
      },
    });
    await until(async () => (await admin.get(crds, { name: CLUSTERS })).spec.preserveUnknownFields === true, {
      what: "the old CRD",
    });
    await run();
    const { spec } = await admin.get(crds, { name: CLUSTERS });
    assert.notEqual(spec.preserveUnknownFields, true);
    assert.ok(spec.versions[0]?.schema?.openAPIV3Schema);
    assert.ok(said("CRD updated").includes(CLUSTERS));
  });

  test("waits for a CRD that is being deleted, and creates it again", async () => {
    await run();
    const { metadata } = await admin.get(crds, { name: CLUSTERS });
    await admin.patch(crds, { name: CLUSTERS }, { merge: { metadata: { finalizers: [HOLD] } } });
    await admin.delete(crds, { name: CLUSTERS });
    const running = run();
    await until(() => lines.some(({ msg }) => /to be deleted/.test(msg)), { what: "the operator to wait" });
    await release();
    await running;
    assert.notEqual((await admin.get(crds, { name: CLUSTERS })).metadata.uid, metadata.uid);
  });

  test("without rights ends, and says what to do", async () => {
    const namespace = await kube.freshNamespace();
    const unprivileged = await connect(await kube.kubeconfigFor({ namespace, serviceAccount: "default" }));
    await assert.rejects(run(unprivileged), {
      code: "crd-forbidden",
      message: /customresourcedefinitions.*forbidden.*create_role\.sh.*--create-crd=false/s,
    });
  });
});

test("--create-crd=false waits until an administrator has applied the CRDs", async () => {
  let isServed = false;
  const options = { ...surroundings(admin), namespace: undefined };
  const waiting = waitUntilServed([etcdClusters, etcdBackups], options, never).then(() => {
    isServed = true;
  });
  await until(() => lines.some(({ msg }) => /waiting for the CRD of EtcdCluster/.test(msg)), { what: "a word" });
  assert.ok(!isServed);
  await applyCrds(kube);
  await waiting;
});
