import type { DeleteOptions, KubeClient, KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { EtcdRestore } from "@etcd-operator/operator/api/etcd-restore.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { unsettled } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import type { MemoryBackups } from "../world/memory-backups.ts";
import type { ModelMachine } from "../world/model-machine.ts";
import type { StoredObjects } from "../world/stored-objects.ts";
import type { VirtualTime } from "../world/virtual-time.ts";
import { NAMESPACE } from "../world/world.ts";
import { LIMIT_MS } from "./limit.ts";

export const CLUSTER = "a";

/** Where a workload plays: what a user can do there, and what can be seen of it. */
export class Stage {
  readonly time: VirtualTime;
  readonly user: KubeClient;
  readonly objects: StoredObjects;
  readonly machine: ModelMachine;
  readonly backups: MemoryBackups;

  constructor(given: Pick<Stage, "time" | "user" | "objects" | "machine" | "backups">) {
    this.time = given.time;
    this.user = given.user;
    this.objects = given.objects;
    this.machine = given.machine;
    this.backups = given.backups;
  }

  async create<T extends KubeObject>(resource: Resource<T>, name: string, rest: object): Promise<void> {
    // The API server judges what it is.
    await this.user.create(resource, { metadata: { name, namespace: NAMESPACE }, ...rest } as unknown as T);
  }

  async createCluster(spec: object = {}): Promise<void> {
    await this.create(ownResources.etcdClusters, CLUSTER, { spec: { size: 3, version: "3.5.16", ...spec } });
  }

  async changeCluster(spec: object): Promise<void> {
    await this.user.patch(ownResources.etcdClusters, { namespace: NAMESPACE, name: CLUSTER }, { merge: { spec } });
  }

  async deleteCluster(options: DeleteOptions = {}): Promise<void> {
    await this.user.delete(ownResources.etcdClusters, { namespace: NAMESPACE, name: CLUSTER }, options);
  }

  /** Takes the n-th oldest pod away, as a node that is lost does. */
  async losePod(at: number): Promise<void> {
    const pod = this.memberPods[at];
    if (!pod) throw new Error(`there is no pod ${at}`);
    const { name, namespace } = pod.metadata;
    await this.user.delete(resources.pods, { name, namespace }, { gracePeriodSeconds: 0 });
  }

  /** Deletes the claim of the member in the n-th oldest pod, which goes on running on it. */
  async deleteClaim(at: number): Promise<void> {
    const pod = this.memberPods[at];
    if (!pod) throw new Error(`there is no pod ${at}`);
    await this.user.delete(resources.persistentVolumeClaims, { name: pod.metadata.name, namespace: NAMESPACE });
  }

  /** Claims that are being deleted, and held by pods that use them. */
  get claimsGoing(): readonly string[] {
    const claims = this.objects.of(resources.persistentVolumeClaims);
    return claims.filter(({ metadata }) => metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
  }

  get cluster(): Stored<EtcdCluster> | undefined {
    return this.objects.of(ownResources.etcdClusters).find(({ metadata }) => metadata.name === CLUSTER);
  }

  get backup(): Stored<EtcdBackup> | undefined {
    return this.objects.of(ownResources.etcdBackups)[0];
  }

  get restore(): Stored<EtcdRestore> | undefined {
    return this.objects.of(ownResources.etcdRestores)[0];
  }

  /** The snapshots in the store of backups, without what is noted beside them. */
  get storedKeys(): readonly string[] {
    return [...this.backups.store.objects.keys()].filter((key) => !key.endsWith(".json"));
  }

  get memberPods() {
    return this.objects.of(resources.pods).filter(({ metadata }) => metadata.labels?.etcd_cluster === CLUSTER);
  }

  /** What is not yet as the spec of the cluster says, or is not reported as it is. */
  unsettled(): readonly string[] {
    const { cluster } = this;
    if (!cluster) return ["there is no cluster"];
    const members = this.machine.membersOf(CLUSTER);
    return unsettled({ cluster, members, pods: this.memberPods }, cluster.spec.size);
  }

  async settled(): Promise<void> {
    const isSettled = await this.time.until(() => this.unsettled().length === 0, LIMIT_MS);
    if (!isSettled) throw new Error(`the set-up does not settle: ${this.unsettled().join("; ")}`);
  }
}
