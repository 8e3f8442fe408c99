import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { shellBlocks } from "@etcd-operator/testing/documents/shell-blocks.ts";
import { type Terminal, terminalBeside } from "@etcd-operator/testing/documents/terminal.ts";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import type { Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import { afterAll, beforeAll, describe, test } from "vitest";

const scenario = clusterScenario({ keepsWitnesses: true });
const [run = "", first = ""] = await shellBlocks("README.md", "Quick start");
const [change = "", save = "", clearUp = ""] = await shellBlocks("README.md", "Resize, upgrade, back up and restore");
const [check = ""] = await shellBlocks("README.md", "Check a manifest");
const [start = "", install = "", create = "", resize = "", failover = "", recovery = "", upgrade = "", end = ""] =
  await shellBlocks("docs/tutorial.md");
const [upgradeOperator = ""] = (await shellBlocks("docs/operations/upgrade-operator.md", "Steps")).filter((block) =>
  block.includes("rollout"),
);
const uninstall = (
  await Promise.all(
    ["Only the operator", "The clusters and backups too", "Rights and CRDs"].map((heading) =>
      shellBlocks("docs/operations/uninstall.md", heading),
    ),
  )
).flat();
const PUT_AND_GOT = /\nOK\n[\s\S]*\nhello\nworld\n$/;
let terminal: Terminal;
let cluster: ClusterUnderTest;
let witness: Witness;

beforeAll(async () => {
  terminal = await terminalBeside(scenario.local);
  cluster = scenario.cluster("example-etcd-cluster");
});
afterAll(() => terminal?.close());

describe("the first two sections of commands, word for word from the README", { timeout: 600_000 }, () => {
  test("creates a cluster, breaks it, and brings it back from a backup", async () => {
    assert.equal(run, "make run\n");
    assert.match(await terminal.run(first), PUT_AND_GOT);
    assert.match(await terminal.run(change), /^ {2}Current Version: +3\.5\.30$/m);
    assert.match(await terminal.run(save), /^hello\nworld$/m);
    assert.match(await terminal.run(check.replace("make build\n", "")), /valid/);
  });

  test("ends with nothing left, and can be done again", async () => {
    await terminal.run(clearUp);
    await scenario.local.kubectl("wait", "--for=delete", "--timeout=1m", "pods", "--all");
    assert.match(await terminal.run(first), PUT_AND_GOT);
    await terminal.run("kubectl delete -f example/example-etcd-cluster.yaml\nkubectl delete pod shell --now");
  });
});

describe("the tutorial after it, in the same clone", { timeout: 400_000 }, () => {
  beforeAll(async () => {
    await scenario.local.stop();
    await scenario.local.start("none");
  });

  test("starts without an operator", async () => {
    assert.equal(start, "make run OPERATOR=none\n");
    assert.equal(await scenario.local.operatorPid(), undefined);
  });

  test("brings the operator up as a pod that has the rights of its ServiceAccount", async () => {
    assert.match(await terminal.run(install), /deployment "etcd-operator" successfully rolled out/);
    const pod = await scenario.client.get(resources.pods, { namespace: "default", name: await operatorPod() });
    assert.equal(pod.spec?.serviceAccountName, "etcd-operator");
    const may = async (...what: string[]) => {
      const { stdout } = await scenario.local.tryKubectl([
        "auth",
        "can-i",
        ...what,
        "--as=system:serviceaccount:default:etcd-operator",
      ]);
      return stdout.trim();
    };
    assert.equal(await may("create", "pods"), "yes");
    assert.equal(await may("list", "secrets"), "no");
    assert.equal(await may("delete", "etcdclusters.etcd.database.coreos.com"), "no");
  });

  test("1. creates a cluster that can be written to", async () => {
    assert.match(await terminal.run(create), /\nOK\n$/);
    await cluster.settled(3);
    witness = await cluster.witness();
    await witness.writesAgain();
  });

  test("2. resizes it to five members and back", async () => {
    await terminal.run(resize);
    await cluster.settled(3);
  });

  test("3. replaces a member that was lost", async () => {
    const before = await memberNames();
    await terminal.run(failover);
    await cluster.settled(3);
    assert.equal((await memberNames()).filter((name) => before.includes(name)).length, 2);
  });

  test("4. replaces one that was lost while there was no operator", async () => {
    const [before, operator] = [await memberNames(), await operatorPod()];
    await terminal.run(recovery);
    await cluster.settled(3);
    assert.equal((await memberNames()).filter((name) => before.includes(name)).length, 2);
    assert.notEqual(await operatorPod(), operator);
  });

  test("5. upgrades it, and no acknowledged write was lost in all of this", async () => {
    const printed = await terminal.run(upgrade);
    assert.match(printed, /^(quay.io\/coreos\/etcd:v3.5.30 ?){3}$/m);
    assert.match(printed, /^foo\nbar$/m);
    await cluster.settled(3);
    await cluster.verify(witness);
    const said = await scenario.local.kubectl("logs", "deployment/etcd-operator");
    assert.doesNotMatch(said, /forbidden/i, "its rights are enough");
  });

  test("leaves nothing behind", async () => {
    await terminal.run(end);
    await noPodIsLeft();
  });

  test("what the pages on upgrading and uninstalling the operator say leaves nothing of it", async () => {
    await terminal.run(install + create);
    const restarts = async () => (await cluster.pods()).map(({ metadata }) => metadata.uid).sort();
    const before = await restarts();
    await terminal.run(upgradeOperator);
    assert.deepEqual(await restarts(), before, "no member was touched");
    const [operatorOnly = "", objects = "", data = "", byHand = "", look = "", crds = "", rights = ""] = uninstall;
    assert.match(byHand, /finalizers/);
    await terminal.run(objects + data + operatorOnly);
    await terminal.run("kubectl delete pod fun --now");
    await noPodIsLeft();
    assert.doesNotMatch(await terminal.run(look), /example/);
    await terminal.run(crds + rights);
    assert.doesNotMatch(
      await terminal.run("kubectl get crds,roles,clusterroles,rolebindings,clusterrolebindings -o name"),
      /\/etcd-operator|etcd\.database/,
    );
  });
});

async function noPodIsLeft(): Promise<void> {
  await scenario.local.kubectl("wait", "--for=delete", "--timeout=1m", "pods", "--all");
  assert.deepEqual((await scenario.client.list(resources.pods, { namespace: "default" })).items, []);
}

async function memberNames(): Promise<string[]> {
  return (await cluster.members()).map(({ name }) => name);
}

async function operatorPod(): Promise<string> {
  const selection = { namespace: "default", labelSelector: "name=etcd-operator" };
  const { items } = await scenario.client.list(resources.pods, selection);
  assert.equal(items.length, 1);
  return items[0]?.metadata.name ?? "";
}
