import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { resources } from "@etcd-operator/kubernetes-client";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { describe, test } from "vitest";

const scenario = clusterScenario();
const NAME = "example-etcd-cluster";
const FILE = `example/${NAME}.yaml`;

describe(`kubectl create -f ${FILE}`, { timeout: 180_000 }, () => {
  test("brings up three members, and kubectl wait and kubectl get report them correctly", async () => {
    const { local } = scenario;
    await local.kubectl("create", "-f", FILE);
    const cluster = scenario.cluster(NAME);
    const witness = await cluster.witness();
    await local.kubectl("wait", "--for=condition=Available", "--timeout=120s", `etcd/${NAME}`);
    await witness.writesAgain();
    await cluster.settled(3);
    const [, version = ""] = /version: "(.*)"/.exec(await readFile(FILE, "utf8")) ?? [];
    const columns = (await local.kubectl("get", "etcd", NAME, "--no-headers")).trim().split(/\s+/);
    assert.deepEqual(columns.slice(0, 4), [NAME, "3/3", version, "Ready"]);
    await cluster.verify(witness);
  });

  test("lets etcdctl read and write through the client Service", async () => {
    const cluster = scenario.cluster(NAME);
    const witness = await cluster.witness({ name: "etcdctl" });
    await witness.writesAgain(100);
    await witness.stop();
    const [pod] = await cluster.pods();
    const etcdctl = (...args: string[]) => {
      const endpoints = `--endpoints=http://${NAME}-client:2379`;
      return scenario.local.kubectl(
        "exec",
        pod?.metadata.name ?? "",
        "-c",
        "etcd",
        "--",
        "etcdctl",
        endpoints,
        ...args,
      );
    };
    await etcdctl("put", "greeting", "hello");
    assert.equal((await etcdctl("get", "greeting", "--print-value-only")).trim(), "hello");
    const keys = (await etcdctl("get", "witness/etcdctl/", "--prefix", "--keys-only")).split("\n").filter(Boolean);
    const { acknowledged, unknown } = witness.report();
    assert.ok(keys.length >= acknowledged && keys.length <= acknowledged + unknown, `${keys.length} keys`);
    await cluster.verify(witness);
  });

  test("makes its objects with the names, labels and owner that scripts rely on", async () => {
    const cluster = scenario.cluster(NAME);
    const { metadata } = await cluster.get();
    const [services, budgets, pods] = await Promise.all([
      cluster.labelled(resources.services),
      cluster.labelled(resources.podDisruptionBudgets),
      cluster.pods(),
    ]);
    assert.deepEqual(services.map((service) => service.metadata.name).sort(), [NAME, `${NAME}-client`]);
    assert.equal(budgets.length, 1);
    for (const object of [...services, ...budgets, ...pods]) {
      const owners = object.metadata.ownerReferences?.map(({ uid, controller }) => ({ uid, controller }));
      assert.deepEqual(owners, [{ uid: metadata.uid, controller: true }], `${object.kind} ${object.metadata.name}`);
    }
    for (const pod of pods) {
      assert.match(pod.metadata.name, new RegExp(`^${NAME}-[a-z0-9]{10}$`));
      assert.equal(pod.metadata.labels?.etcd_node, pod.metadata.name);
    }
  });

  test("leaves nothing behind when it is deleted", async () => {
    const cluster = scenario.cluster(NAME);
    await scenario.local.kubectl("delete", "-f", FILE);
    await cluster.isGone();
  });
});
