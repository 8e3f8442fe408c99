import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLogger, Health, InformerSet } from "@etcd-operator/controller-runtime";
import { EventRecorder, fixedCredential, KubeClient, systemClock } from "@etcd-operator/kubernetes-client";
import { until } from "@etcd-operator/testing/until.ts";
import { test } from "vitest";
import { Metrics } from "../context/metrics.ts";
import { ownResources } from "../objects/own-resources.ts";
import { controllersOf } from "./controllers.ts";
import { type ProgramName, parseOperatorFlags } from "./operator-flags.ts";
import { runOperator } from "./run-operator.ts";
import { scopeOf } from "./scope.ts";

const aController = { name: "tests", needs: [], create: () => ({ run: async () => undefined }) };
const logger = createLogger({ level: "silent" });

test.each([
  ["etcd-operator", ["clusters", "backups", "restores"]],
  ["etcd-backup-operator", ["backups"]],
  ["etcd-restore-operator", ["restores"]],
] as const)("%s runs the controllers %j", (program, names) => {
  const controllers = controllersOf(program, parseOperatorFlags(program, [], {}), "operator:v1");
  assert.deepEqual(
    controllers.map(({ name }) => name),
    names,
  );
});

test("every controller can be made again in one process, as after a Lease that could not be renewed", () => {
  const clock = systemClock;
  const client = new KubeClient({ server: "http://[::1]:1", credentials: fixedCredential() });
  const shared = { client, logger, metrics: new Metrics(), health: new Health(), clock, random: () => 0.5 };
  const scope = scopeOf({ clusterWide: false, namespace: "here" });
  const recorder = new EventRecorder({ client, component: "tests" });
  for (const factory of controllersOf("etcd-operator", parseOperatorFlags("etcd-operator", [], {}), "operator:v1")) {
    for (const isLeading of [() => false, () => true]) {
      const informers = new InformerSet({ client, namespace: "here", logger });
      assert.ok(factory.create({ ...shared, scope, recorder, informers, isLeading }));
    }
  }
});

test("a kubeconfig that is not there ends the start with its path", async () => {
  const flags = parseOperatorFlags("etcd-operator", ["--kubeconfig=/nowhere/kubeconfig"], {});
  const running = runOperator(
    { program: "etcd-operator", flags, controllers: () => [aController], logger },
    new AbortController().signal,
  );
  await assert.rejects(running, { code: "invalid", message: /\/nowhere\/kubeconfig/ });
});

test("it is not ready between one step of its start and the next, such as while it asks how new the CRDs are", async () => {
  let isAsked = false;
  const api = createServer((request, response) => {
    if (request.url?.includes("customresourcedefinitions")) isAsked = true;
    else response.setHeader("content-type", "application/json").end('{"kind":"List","items":[],"metadata":{}}');
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  await using there = await kubeconfigFor(`http://127.0.0.1:${(api.address() as AddressInfo).port}`);
  const [abort, ports]: [AbortController, number[]] = [new AbortController(), []];
  const args = ["--listen-addr=127.0.0.1:0", `--kubeconfig=${there.kubeconfig}`, "--create-crd=false"];
  const flags = parseOperatorFlags("etcd-operator", args, {});
  const controllers = () => [{ ...aController, needs: [ownResources.etcdClusters] }];
  const onListening = (port: number) => void ports.push(port);
  const running = runOperator({ program: "etcd-operator", flags, controllers, logger, onListening }, abort.signal);
  await until(async () => isAsked, { what: "the question for the CRD" });
  const answer = await fetch(`http://127.0.0.1:${ports[0]}/readyz`);
  assert.deepEqual([answer.status, (await answer.text()).includes("start: still starting")], [503, true]);
  abort.abort();
  api.closeAllConnections();
  api.close();
  await running;
});

/** A kubeconfig whose API server is not there. */
const lonelyKubeconfig = () => kubeconfigFor("http://[::1]:1");

async function kubeconfigFor(server: string) {
  const folder = await mkdtemp(join(tmpdir(), "run-operator-"));
  const kubeconfig = join(folder, "kubeconfig");
  const context = { contexts: [{ name: "c", context: { cluster: "c" } }], "current-context": "c" };
  await writeFile(kubeconfig, JSON.stringify({ clusters: [{ name: "c", cluster: { server } }], ...context }));
  return { kubeconfig, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

test("a port that a foreign program has ends the start, before the API server is asked for anything", async () => {
  await using lonely = await lonelyKubeconfig();
  const taken = createServer((_, response) => response.end());
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  const args = [`--listen-addr=127.0.0.1:${port}`, `--kubeconfig=${lonely.kubeconfig}`];
  const flags = parseOperatorFlags("etcd-operator", args, {});
  const running = runOperator(
    { program: "etcd-operator", flags, controllers: () => [aController], logger },
    new AbortController().signal,
  );
  await assert.rejects(running, { code: "address-in-use" });
  taken.close();
});

test("three programs of one pod run on one port, as the containers of old manifests do", async () => {
  await using lonely = await lonelyKubeconfig();
  const abort = new AbortController();
  const lines: string[] = [];
  const ports: number[] = [];
  const start = (program: ProgramName) => {
    const args = [`--listen-addr=127.0.0.1:${ports[0] ?? 0}`, `--kubeconfig=${lonely.kubeconfig}`];
    const flags = parseOperatorFlags(program, args, {});
    const log = createLogger({ write: (line) => lines.push(line) });
    const onListening = (port: number) => void ports.push(port);
    return runOperator({ program, flags, controllers: () => [aController], logger: log, onListening }, abort.signal);
  };
  const running = [start("etcd-operator")];
  await until(async () => ports.length === 1, { what: "the first to listen" });
  running.push(start("etcd-backup-operator"), start("etcd-restore-operator"));
  const begun = () => lines.filter((line) => line.includes('"starting"')).length;
  await until(async () => begun() === 3, { what: "all three to start" });
  assert.equal(lines.filter((line) => line.includes("another program of the operator serves")).length, 2);
  abort.abort();
  await Promise.all(running);
  assert.equal(ports.length, 1);
});
