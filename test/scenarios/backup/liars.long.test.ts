import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import { API_VERSION } from "@etcd-operator/operator/api/group.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { clusterScenario } from "@etcd-operator/testing/scenario/cluster-scenario.ts";
import { MemoryLimit } from "@etcd-operator/testing/scenario/faults/memory-limit.ts";
import type { OperatorProcess } from "@etcd-operator/testing/scenario/operator/operator-process.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, describe, test } from "vitest";
import { etcd } from "../../faults/liars/components/etcd.ts";
import { s3 } from "../../faults/liars/components/s3.ts";
import type { Component, Liar } from "../../faults/liars/play.ts";

/** What the manifests give the operator's container. */
const LIMIT_BYTES = 256 << 20;
const INNOCENT = Array.from({ length: 9 }, (_, at) => `innocent-${at + 1}`);
const NAMESPACE = "default";
/** Each repeats its lie, as each backup is tried again. */
const LIES: readonly (readonly [component: Component, lie: string])[] = [
  [etcd, "huge-frame"],
  [etcd, "empty-frames"],
  [etcd, "messages-without-end"],
  [etcd, "endless-header-fields"],
  [etcd, "endless-settings"],
  [s3, "endless-answer"],
  [s3, "endless-refusal"],
  [s3, "endless-error"],
  [s3, "endless-headers"],
  [s3, "bomb"],
];

const lack = await MemoryLimit.lack();
const scenario = clusterScenario({ operator: false });
const liars = new Map<string, Liar>();
let honest: Liar | undefined;
let memory: MemoryLimit | undefined;
let operator: OperatorProcess | undefined;

describe.skipIf(lack)(titleWith("an operator that ten liars are shown to", lack), { timeout: 300_000 }, () => {
  afterAll(async () => {
    await operator?.stop();
    await memory?.dispose();
    for (const server of [...liars.values(), honest]) await server?.close();
  });

  test("stays within 256 MiB, and looks after nine clusters beside them", async () => {
    memory = await MemoryLimit.of(LIMIT_BYTES);
    operator = await scenario.startOperator({ flags: ["--allow-loopback-endpoints"], memory });
    const clusters = await Promise.all(INNOCENT.map((name) => scenario.create(name, { size: 1 })));
    for (const cluster of clusters) await cluster.settled(1);
    await scenario.client.create(resources.secrets, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: NAMESPACE, name: "keys" },
      stringData: { credentials: "[default]\naws_access_key_id = a\naws_secret_access_key = s\n" },
    });
    honest = await s3.serve();
    for (const [component, lie] of LIES) await showLiar(component, lie, honest);
    const hasLied = () => [...liars].filter(([, { spent }]) => spent.lies < 2).length === 0;
    await until(hasLied, { what: "each liar to lie twice", timeoutMs: 120_000 });
    for (const name of liars.keys()) await reportsFailure(name);
    for (const cluster of clusters) await cluster.changeSpec({ pod: { annotations: { seen: "yes" } } });
    for (const cluster of clusters) {
      const has = async () => (await cluster.pods()).every(({ metadata }) => metadata.annotations?.seen === "yes");
      await until(has, { what: `${cluster.name} to follow its spec`, timeoutMs: 60_000 });
      await cluster.settled(1);
    }
    process.stdout.write(`  most memory: ${((await memory.mostBytes()) / (1 << 20)).toFixed(0)} MiB\n`);
    assert.equal(await memory.kills(), 0);
  });
});

async function showLiar(component: Component, lie: string, store: Liar): Promise<void> {
  // About whatever is asked.
  const liar = await component.serve({ read: { filler: "nothing " }, lie: component.lies[lie] ?? { ends: [] } });
  const name = `${component.name}-${lie}`;
  liars.set(name, liar);
  const endpoint = `http://${(component === s3 ? liar : store).address}`;
  const s3Block = { path: `backups/${name}`, awsSecret: "keys", forcePathStyle: true, endpoint };
  const from =
    component === s3 ? { etcdCluster: { name: INNOCENT[0] } } : { etcdEndpoints: [`http://${liar.address}`] };
  await scenario.client.create(ownResources.etcdBackups, {
    apiVersion: API_VERSION,
    kind: "EtcdBackup",
    metadata: { namespace: NAMESPACE, name },
    spec: {
      storageType: "S3",
      backupPolicy: { backupIntervalInSecond: 5 },
      ...from,
      s3: s3Block,
    } as EtcdBackup["spec"],
  });
}

async function reportsFailure(name: string): Promise<void> {
  const has = async () => {
    const { status } = await scenario.client.get(ownResources.etcdBackups, { namespace: NAMESPACE, name });
    return status?.lastError !== undefined;
  };
  await until(has, { what: `EtcdBackup ${name} to report an error`, timeoutMs: 120_000 });
}
