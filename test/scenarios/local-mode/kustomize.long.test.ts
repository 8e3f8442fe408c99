import assert from "node:assert/strict";
import { appendFile, cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resources } from "@etcd-operator/kubernetes-client";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { describe, onTestFinished, test } from "vitest";

const OPERATOR = ["--namespace=etcd-operator", "deployment/etcd-operator"];

const scenario = clusterScenario({ operator: "none" });

describe("deploy/, an operator for all namespaces with a standby", { timeout: 300_000 }, () => {
  test("manages a cluster of another namespace, also when its leader goes and when it is rolled", async () => {
    const { local } = scenario;
    await local.kubectl("apply", "-k", await withImage("mirror.example.com/etcd-operator", "mine"));
    await local.kubectl("rollout", "status", ...OPERATOR, "--timeout=1m");
    await local.kubectl("create", "namespace", "elsewhere");
    const { code, stderr } = await local.tryKubectl(
      ["create", "--namespace=elsewhere", "-f", "-"],
      await clusterWide(),
    );
    assert.equal(code, 0, stderr);
    const cluster = scenario.cluster("example-etcd-cluster", "elsewhere");
    await cluster.settled(3);
    const guards = (await cluster.pods()).flatMap(({ spec }) => spec?.initContainers ?? []).map(({ image }) => image);
    assert.deepEqual([...new Set(guards)], ["mirror.example.com/etcd-operator:mine"]);
    const witness = await cluster.witness();
    await witness.writesAgain();

    const leader = await holder();
    await local.kubectl("delete", "pod", "--namespace=etcd-operator", leader, "--now");
    await cluster.changeSpec({ size: 5 });
    await cluster.settled(5);
    assert.notEqual(await holder(), leader);

    await local.kubectl("rollout", "restart", ...OPERATOR);
    await cluster.changeSpec({ size: 3 });
    await local.kubectl("rollout", "status", ...OPERATOR, "--timeout=1m");
    await cluster.settled(3);
    await cluster.verify(witness);
    const said = await local.kubectl("logs", "--namespace=etcd-operator", "-l", "name=etcd-operator", "--tail=-1");
    assert.doesNotMatch(said, /forbidden/i, "its rights are enough");
  });
});

/** A copy of deploy/ after `kustomize edit set image`, which sets the image in this one place. */
async function withImage(newName: string, newTag: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "deploy-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp("deploy", folder, { recursive: true });
  const image = `images:\n  - name: ghcr.io/etcd-operator/etcd-operator\n    newName: ${newName}\n    newTag: ${newTag}\n`;
  await appendFile(join(folder, "kustomization.yaml"), image);
  return folder;
}

/** The example with the annotation that its comment describes. */
async function clusterWide(): Promise<string> {
  const example = await readFile("example/example-etcd-cluster.yaml", "utf8");
  return example.replace("# annotations:", "annotations:").replace("#   etcd.database", "  etcd.database");
}

/** The pod that looks after clusters. */
async function holder(): Promise<string> {
  const look = async () => {
    const ref = { namespace: "default", name: "etcd-operator-clusters-clusterwide" };
    const { spec } = await scenario.client.get(resources.leases, ref);
    return spec?.holderIdentity?.split("_")[0];
  };
  return until(look, { what: "a leader" });
}
