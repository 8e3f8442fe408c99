import assert from "node:assert/strict";
import { createLogger, fromInformer, OwnWrites, runController, TrackedClient } from "@etcd-operator/controller-runtime";
import { keyOf, refOf, resources } from "@etcd-operator/kubernetes-client";
import { API_VERSION, GROUP } from "@etcd-operator/operator/api/group.ts";
import type { ControllerFactory } from "@etcd-operator/operator/context/controller-context.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { parseOperatorFlags } from "@etcd-operator/operator/process/operator-flags.ts";
import { runOperator } from "@etcd-operator/operator/process/run-operator.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import type { Rest } from "@etcd-operator/testing/kube/rest.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test } from "vitest";
import { createRoleOn } from "../manifests/run-create-role.ts";

const kube = injectedKube();
const { etcdClusters } = ownResources;
const { persistentVolumeClaims, podDisruptionBudgets, pods, services } = resources;
const REVISION = `${GROUP}/schema-revision`;
const crdPath = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/etcdclusters.${GROUP}`;
let admin: Rest;

beforeAll(async () => {
  await applyCrds(kube);
  admin = await kube.rest();
});
afterAll(() => applyCrds(kube));

/**
 * Does a little of everything that controllers do: follows the kinds, writes a status and an Event, and knows its
 * scope.
 */
const aController: ControllerFactory = {
  name: "clusters",
  needs: [etcdClusters],
  create({ client, informers, recorder, scope, logger, metrics, health }) {
    const clusters = informers.add(etcdClusters);
    const labelSelector = "app=etcd";
    informers.add(pods, { labelSelector });
    informers.add(services, { labelSelector });
    informers.add(persistentVolumeClaims, { labelSelector });
    informers.add(podDisruptionBudgets, { labelSelector });
    const ownWrites = new OwnWrites({ cachesOf: (resource) => informers.cachesOf(resource) });
    const options = {
      name: "clusters",
      subject: "cluster",
      sources: [fromInformer(clusters, (cluster) => (scope.covers(cluster) ? [keyOf(cluster.metadata)] : []))],
      exists: (key: string) => clusters.cache.get(refOf(key)) !== undefined,
      ownWrites,
      resyncMs: 60_000,
      logger,
      health,
      observer: metrics.observerOf("clusters"),
    };
    return {
      run: (signal) =>
        runController(
          {
            ...options,
            async reconcile(key, passSignal, { writes }) {
              const cluster = clusters.cache.get(refOf(key));
              if (!cluster || cluster.status?.phase === "Running") return { kind: "done" };
              const told = { ...cluster, status: { phase: "Running" as const } };
              await new TrackedClient(client, writes).updateStatus(etcdClusters, told, { signal: passSignal });
              recorder.record(cluster, { type: "Normal", reason: "Tested", message: "it was seen" });
              return { kind: "done" };
            },
          },
          signal,
        ),
    };
  },
};

async function run(namespace: string, ...args: string[]) {
  const lines: Record<string, unknown>[] = [];
  const abort = new AbortController();
  let port = 0;
  const kubeconfig = await kube.kubeconfigFor({ namespace, serviceAccount: "etcd-operator" });
  const flags = ["--listen-addr=127.0.0.1:0", `--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`, ...args];
  const running = runOperator(
    {
      program: "etcd-operator",
      flags: parseOperatorFlags("etcd-operator", flags, {}),
      controllers: () => [aController],
      logger: createLogger({ level: "debug", write: (line) => lines.push(JSON.parse(line)) }),
      onListening: (listening) => {
        port = listening;
      },
    },
    abort.signal,
  );
  running.catch(() => undefined);
  return {
    lines,
    async end() {
      abort.abort();
      await running;
    },
    page: async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text(),
    async stop() {
      abort.abort();
      await running;
      const bad = lines.filter(({ level }) => level === "warn" || level === "error" || level === "fatal");
      assert.deepEqual(bad, [], "no 403, and nothing else to complain about");
    },
  };
}

async function createRole(namespace: string, ...more: string[]): Promise<void> {
  const names = [`--role-name=role-${namespace}`, `--role-binding-name=binding-${namespace}`];
  const { code, stderr } = await createRoleOn(kube.adminKubeconfig, [...names, `--namespace=${namespace}`, ...more]);
  assert.equal(code, 0, stderr);
}

async function createCluster(namespace: string, name: string, annotations = {}): Promise<void> {
  const path = `/apis/${API_VERSION}/namespaces/${namespace}/etcdclusters`;
  const { code, text } = await admin("POST", path, {
    apiVersion: API_VERSION,
    kind: "EtcdCluster",
    metadata: { name, annotations },
    spec: { size: 1 },
  });
  assert.equal(code, 201, text);
}

async function phaseOf(namespace: string, name: string): Promise<string | undefined> {
  const path = `/apis/${API_VERSION}/namespaces/${namespace}/etcdclusters/${name}`;
  return (await admin<{ status?: { phase?: string } }>("GET", path)).body.status?.phase;
}

const clusterwide = { [`${GROUP}/scope`]: "clusterwide" };

describe("with exactly the rights of create_role.sh", () => {
  test("an operator that leaves the CRDs alone needs no right beyond its namespace", async () => {
    const namespace = await kube.freshNamespace();
    await createRole(namespace, "--no-crds");
    await createCluster(namespace, "ours");
    const operator = await run(namespace, "--create-crd=false");
    await until(async () => (await phaseOf(namespace, "ours")) === "Running", { what: "a pass" });
    await operator.stop();
  });

  test("--create-crd=false waits for CRDs as new as the operator, is not ready, and says what to do", async () => {
    const namespace = await kube.freshNamespace();
    await createRole(namespace);
    await admin("PATCH", crdPath, { metadata: { annotations: { [REVISION]: "1" } } });
    await createCluster(namespace, "ours");
    const operator = await run(namespace, "--create-crd=false");
    const isSaid = async () => /older \(schema revision 1\).*deploy\/crd/.test(await operator.page("/readyz"));
    await until(isSaid, { what: "the operator to say so" });
    assert.equal(await phaseOf(namespace, "ours"), undefined);
    await applyCrds(kube);
    await until(async () => (await phaseOf(namespace, "ours")) === "Running", { what: "a pass" });
    assert.equal(await operator.page("/readyz"), "ok\n");
    await operator.end();
  });

  test("an operator of one namespace upgrades CRDs, is elected, works and reports, without one 403", async () => {
    const namespace = await kube.freshNamespace();
    await createRole(namespace);
    await admin("PATCH", crdPath, { metadata: { annotations: { [REVISION]: null } } });
    await createCluster(namespace, "ours");
    await createCluster(namespace, "theirs", clusterwide);
    const operator = await run(namespace);
    await until(async () => (await phaseOf(namespace, "ours")) === "Running", { what: "a pass" });
    const events = `/api/v1/namespaces/${namespace}/events?fieldSelector=reason%3DTested`;
    await until(async () => (await admin<{ items: unknown[] }>("GET", events)).body.items.length === 1, {
      what: "an Event",
    });
    assert.match(
      await operator.page("/metrics"),
      new RegExp(`reconcile_duration_count{ClusterName="ours",Namespace="${namespace}"} [1-9]`),
    );
    assert.equal(await operator.page("/readyz"), "ok\n");
    assert.ok(operator.lines.some(({ msg }) => msg === "CRD updated"));
    await operator.stop();
    assert.equal(await phaseOf(namespace, "theirs"), undefined, "what is annotated clusterwide is not its own");
  });

  test("a cluster-wide operator finds what is annotated, in every namespace, without one 403", async () => {
    const [namespace, other] = [await kube.freshNamespace(), await kube.freshNamespace()];
    await createRole(namespace, "--cluster-wide");
    await createCluster(other, "ours", clusterwide);
    await createCluster(other, "theirs");
    const operator = await run(namespace, "--cluster-wide", "--create-crd=false");
    await until(async () => (await phaseOf(other, "ours")) === "Running", { what: "a pass" });
    await operator.stop();
    assert.equal(await phaseOf(other, "theirs"), undefined);
  });
});

test("the reconciles after all is done write nothing", async () => {
  const namespace = await kube.freshNamespace();
  await createRole(namespace);
  await createCluster(namespace, "quiet");
  const operator = await run(namespace);
  await until(async () => (await phaseOf(namespace, "quiet")) === "Running", { what: "a pass" });
  const path = `/apis/${API_VERSION}/namespaces/${namespace}/etcdclusters/quiet`;
  const before = (await admin("GET", path)).body.metadata?.resourceVersion;
  await until(() => operator.lines.filter(({ msg }) => msg === "pass ended").length >= 2, { what: "the pass after" });
  assert.equal((await admin("GET", path)).body.metadata?.resourceVersion, before);
  await operator.stop();
});
