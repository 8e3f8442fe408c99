import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { openWorkspace, type Workspace } from "@etcd-operator/testing/kube/control-plane/workspace.ts";
import { injectedKube } from "@etcd-operator/testing/kube/injected.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, test } from "vitest";

const kube = injectedKube();
const { leases } = resources;
const LEASE = "etcd-operator-tests-namespaced";

/** An operator with one controller, which says what it sees. */
const PROGRAM = `
import { ownResources } from "./packages/operator/src/objects/own-resources.ts";
import { onAbort } from "./packages/kubernetes-client/src/requests/on-abort.ts";
import { parseOperatorFlags } from "./packages/operator/src/process/operator-flags.ts";
import { runOperatorProcess } from "./packages/operator/src/process/operator-process.ts";
import { stopRequest } from "./packages/operator/src/cli/stop-signal.ts";
const controller = {
  name: "tests",
  needs: [ownResources.etcdClusters],
  create: ({ informers, logger }) => {
    const clusters = informers.add(ownResources.etcdClusters);
    return {
      async run(signal) {
        logger.info({ clusters: clusters.cache.size }, "at work");
        await new Promise((resolve) => onAbort(signal, resolve));
        logger.info("laid down");
      },
    };
  },
};
const flags = parseOperatorFlags("etcd-operator", process.argv.slice(2));
process.exit(await runOperatorProcess({ program: "etcd-operator", flags, controllers: () => [controller] }, stopRequest().signal));
`;

let workspace: Workspace;
let bundle: string;
let client: KubeClient;

beforeAll(async () => {
  await applyCrds(kube);
  workspace = await openWorkspace("operator-election-");
  bundle = join(workspace.directory, "operator.mjs");
  await build({
    stdin: { contents: PROGRAM, resolveDir: process.cwd(), loader: "ts" },
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "warning",
  });
  client = new KubeClient(await connectionFromKubeconfig(kube.adminKubeconfig));
});
afterAll(async () => {
  await client.close();
  await workspace.close();
});

/** Starts an operator process for a namespace. */
function start(name: string, namespace: string, ...args: string[]) {
  const flags = [
    `--kubeconfig=${kube.adminKubeconfig}`,
    "--listen-addr=127.0.0.1:0",
    `--namespace=${namespace}`,
    ...args,
  ];
  const env = { ...process.env, MY_POD_NAME: name };
  const started = workspace.run(`${namespace}-${name}`, process.execPath, [bundle, ...flags], env);
  const log = join(workspace.directory, `${namespace}-${name}.log`);
  const lines = () =>
    readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const has = (msg: string) => lines().some((line) => line.msg === msg);
  return { ...started, lines, has, port: () => lines().find(({ msg }) => msg === "starting")?.port };
}

async function holder(namespace: string): Promise<string | undefined> {
  return (await client.get(leases, { namespace, name: LEASE })).spec?.holderIdentity;
}

describe("of two operators", () => {
  test("one works, the other one stands by, ready; SIGTERM hands over and is exit code 0", async () => {
    const namespace = await kube.freshNamespace();
    const one = start("one", namespace);
    await until(() => one.has("at work"), { what: "the first operator to work", unless: one.diedEarly });
    assert.match((await holder(namespace)) ?? "", /^one_/);

    const two = start("two", namespace);
    await until(() => two.has("standing by"), { what: "the second one to stand by", unless: two.diedEarly });
    assert.ok(!two.has("at work"));
    assert.equal((await fetch(`http://127.0.0.1:${two.port()}/readyz`)).status, 200);
    assert.equal((await fetch(`http://127.0.0.1:${one.port()}/readyz`)).status, 200);
    const page = await (await fetch(`http://127.0.0.1:${one.port()}/metrics`)).text();
    assert.match(page, /etcd_operator_leader\{controller="tests"\} 1/);

    process.kill(one.pid, "SIGTERM");
    assert.equal(await one.ended, "exit code 0");
    assert.ok(one.has("laid down"));
    await until(() => two.has("at work"), { what: "the second one to take over", timeoutMs: 6_000 });
    await two.stop();
    assert.equal(await two.ended, "exit code 0");
    assert.equal(await holder(namespace), undefined);
  });

  test("the one that loses its Lease ends, and not with exit code 0", async () => {
    const namespace = await kube.freshNamespace();
    const one = start("one", namespace);
    await until(() => one.has("at work"), { what: "the operator to work", unless: one.diedEarly });
    const merge = { spec: { holderIdentity: "thief", leaseDurationSeconds: 60 } };
    await client.patch(leases, { namespace, name: LEASE }, { merge });
    assert.equal(await one.ended, "exit code 1");
    assert.ok(one.has("laid down"));
    const { level, msg } = one.lines().at(-1) ?? {};
    assert.equal(level, "fatal");
    assert.match(String(msg), /the Lease is held by 'thief'/);
    assert.equal(await holder(namespace), "thief");
  });

  test("a namespaced one and a cluster-wide one work side by side", async () => {
    const namespace = await kube.freshNamespace();
    const one = start("one", namespace);
    const wide = start("wide", namespace, "-cluster-wide");
    for (const each of [one, wide]) await until(() => each.has("at work"), { what: "both", unless: each.diedEarly });
    const lease = await client.get(leases, { namespace: "default", name: "etcd-operator-tests-clusterwide" });
    assert.match(lease.spec?.holderIdentity ?? "", /^wide_/);
    await Promise.all([one.stop(), wide.stop()]);
    assert.deepEqual(await Promise.all([one.ended, wide.ended]), ["exit code 0", "exit code 0"]);
  });
});

test("an operator that still searches for its API server is alive, not ready, and ends at once when stopped", async () => {
  const nowhere = join(workspace.directory, "nowhere");
  const clusters = [{ name: "c", cluster: { server: "http://127.0.0.1:1" } }];
  const contexts = [{ name: "c", context: { cluster: "c" } }];
  await writeFile(nowhere, JSON.stringify({ clusters, contexts, "current-context": "c" }));
  const lost = start("lost", "nowhere", `--kubeconfig=${nowhere}`);
  const complains = () => lost.lines().some(({ msg }) => String(msg).includes("could not create the CRD yet"));
  await until(complains, { what: "a complaint", unless: lost.diedEarly });
  assert.equal((await fetch(`http://127.0.0.1:${lost.port()}/healthz`)).status, 200);
  const ready = await fetch(`http://127.0.0.1:${lost.port()}/readyz`);
  assert.deepEqual(
    [ready.status, (await ready.text()).split("\n")],
    [503, ["start: still starting", "CRDs: waiting for the CRDs to be served", ""]],
  );
  await lost.stop();
  assert.equal(await lost.ended, "exit code 0");
});

test("an operator that cannot know its API server ends, and names the file that it tried to read", async () => {
  const lost = start("blind", "nowhere", "--kubeconfig=test/kube/no-such-file");
  assert.equal(await lost.ended, "exit code 1");
  assert.match(String(lost.lines().at(-1)?.msg), /no-such-file/);
});
