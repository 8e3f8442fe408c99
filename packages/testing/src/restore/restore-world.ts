import { connectEtcd } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { clusterLabels } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import { customResourceDefinition } from "@etcd-operator/operator/api/crd/custom-resource-definition.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { EtcdRestore } from "@etcd-operator/operator/api/etcd-restore.ts";
import { API_VERSION } from "@etcd-operator/operator/api/group.ts";
import { kinds } from "@etcd-operator/operator/api/kinds.ts";
import { Metrics } from "@etcd-operator/operator/context/metrics.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { restoreController } from "@etcd-operator/operator/restore/restore-controller.ts";
import type { Outside } from "@etcd-operator/operator/restore/start-work.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { controllerAtWork } from "../controller/controller-at-work.ts";
import { snapshotBytes, writeKeys } from "../etcd/snapshot-bytes.ts";
import { type EtcdProcess, startEtcd } from "../etcd-process.ts";
import { type LocalApiServer, startLocalApiServer } from "../local/api-server.ts";
import { MemoryStore } from "../objectstore/memory-store.ts";
import { ANY_TRUST } from "../transfer/any-trust.ts";
import { until } from "../until.ts";

const { etcdClusters, etcdRestores } = ownResources;
const { pods } = resources;

type RestoreStatus = NonNullable<EtcdRestore["status"]>;

/**
 * For tests of the controller of EtcdRestores: a real API server, a real etcd behind every pod of a cluster, a store in
 * memory. There are no nodes, and no controller for EtcdClusters: see ClusterStandIn.
 */
export class RestoreWorld {
  readonly client: KubeClient;
  readonly etcd: EtcdProcess;
  readonly metrics = new Metrics();
  readonly store = new MemoryStore();
  /** What pods were sent. */
  readonly pushed: Buffer[] = [];
  /** Called before a snapshot is sent to a pod. */
  beforePush: () => Promise<void> = async () => undefined;
  namespace = "";
  readonly #server: LocalApiServer;
  #count = 0;

  static async start(): Promise<RestoreWorld> {
    const [server, etcd] = await Promise.all([startLocalApiServer(), startEtcd({ version: "3.5.16" })]);
    const client = new KubeClient(await connectionFromKubeconfig(server.kubeconfig));
    const kindsNeeded = [kinds.EtcdCluster, kinds.EtcdRestore];
    for (const kind of kindsNeeded) {
      await client.create(resources.customResourceDefinitions, customResourceDefinition(kind));
    }
    await until(() => client.list(etcdClusters), { what: "EtcdClusters to be served" });
    await until(() => client.list(etcdRestores), { what: "EtcdRestores to be served" });
    return new RestoreWorld(server, client, etcd);
  }

  private constructor(server: LocalApiServer, client: KubeClient, etcd: EtcdProcess) {
    this.#server = server;
    this.client = client;
    this.etcd = etcd;
  }

  /** A namespace of its own for each test, and a backup of the etcd as it is now. */
  async fresh(): Promise<void> {
    this.#count += 1;
    this.namespace = `test-${this.#count}`;
    const { client, namespace } = this;
    await client.create(resources.namespaces, { metadata: { name: namespace } });
    await client.create(resources.serviceAccounts, { metadata: { namespace, name: "default" } });
    const etcd = this.#connect();
    await writeKeys(etcd, 50);
    this.store.objects.clear();
    this.store.calls.length = 0;
    this.store.beforeCall = () => undefined;
    this.store.objects.set("etcd", await snapshotBytes(etcd));
    etcd.close();
    this.pushed.length = 0;
    this.beforePush = async () => undefined;
  }

  /** A controller at work; ends when disposed of. */
  async atWork({ isLeading }: { isLeading?: () => boolean } = {}) {
    const { client, namespace, metrics } = this;
    const factory = restoreController({ image: "etcd-operator:test", trust: ANY_TRUST, outside: this.#outside() });
    return controllerAtWork(factory, { client, namespace, metrics, isLeading });
  }

  #outside(): Outside {
    return {
      openStore: async () => {
        this.store.calls.push("open");
        const close = () => this.store.close();
        return { store: this.store, key: "etcd", pathOf: (key) => `backups/${key}`, close };
      },
      push: async (_, source, { onProgress }) => {
        await this.beforePush();
        const chunks: Uint8Array[] = [];
        for await (const chunk of source) chunks.push(chunk);
        onProgress?.(Buffer.concat(chunks).length);
        this.pushed.push(Buffer.concat(chunks));
      },
      connect: (_, options) => this.#connect(options),
    };
  }

  #connect(options: Parameters<typeof connectEtcd>[1] = {}) {
    return connectEtcd({ address: new URL(this.etcd.clientUrl).host }, options);
  }

  async createRestore(name = "example", spec: object = {}, more: object = {}): Promise<Stored<EtcdRestore>> {
    const body = { etcdCluster: { name: "example" }, backupStorageType: "S3", s3: { path: "backups/etcd" }, ...spec };
    const restore = { metadata: { namespace: this.namespace, name, ...more }, spec: body };
    return this.client.create(etcdRestores, restore as unknown as EtcdRestore);
  }

  /** A cluster of one member, whose pod is there and answers. */
  async createCluster(spec: object = {}): Promise<Stored<EtcdCluster>> {
    const { client, namespace } = this;
    const cluster = { metadata: { namespace, name: "example" }, spec: { size: 1, version: "3.5.16", ...spec } };
    const created = await client.create(etcdClusters, cluster as EtcdCluster);
    await this.createMember(created);
    return created;
  }

  async createMember({ metadata }: Stored<EtcdCluster>, name = "example-0", annotations = {}): Promise<void> {
    const { client, namespace } = this;
    const owner = { apiVersion: API_VERSION, kind: "EtcdCluster", name: metadata.name, uid: metadata.uid };
    const pod: Pod = {
      metadata: { namespace, name, annotations, labels: clusterLabels(metadata.name), ownerReferences: [owner] },
      spec: { containers: [{ name: "etcd", image: "etcd" }] },
    };
    await client.create(pods, pod);
    await client.patchStatus(
      pods,
      { namespace, name },
      { merge: { status: { phase: "Running", podIP: "127.0.0.1" } } },
    );
  }

  async cluster(): Promise<Stored<EtcdCluster>> {
    return this.client.get(etcdClusters, { namespace: this.namespace, name: "example" });
  }

  async restore(name = "example"): Promise<Stored<EtcdRestore>> {
    return this.client.get(etcdRestores, { namespace: this.namespace, name });
  }

  /** Waits until the status of a restore is as it should be. */
  async untilStatus(what: string, holds: (status: RestoreStatus) => boolean, name = "example"): Promise<RestoreStatus> {
    let last: RestoreStatus = {};
    try {
      return await until(
        async () => {
          last = (await this.restore(name)).status ?? {};
          return holds(last) && last;
        },
        { what, timeoutMs: 20_000 },
      );
    } catch (cause) {
      throw new Error(`the status never was as expected (${what}): ${JSON.stringify(last)}`, { cause });
    }
  }

  async events(): Promise<string[]> {
    const { items } = await this.client.list(resources.events, { namespace: this.namespace });
    return items.map(({ type, reason }) => `${type} ${reason}`).sort();
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.#server.stop();
    await this.etcd.stop();
  }
}
