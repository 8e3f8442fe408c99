import { setTimeout as pause } from "node:timers/promises";
import type { Member } from "@etcd-operator/etcd-client";
import type { KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { EtcdRestore } from "@etcd-operator/operator/api/etcd-restore.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { unsettled } from "@etcd-operator/testing/scenario/cluster/settled.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { MembershipWatch } from "../membership/membership-watch.ts";
import { MemoryBackups } from "../world/memory-backups.ts";
import type { NamespaceHistory } from "./object-history.ts";
import { Operators } from "./operators.ts";
import type { RealWorld } from "./real-world.ts";

export const CLUSTER = "a";
const KEPT = "kept";

const SETTLE_MS = 60_000;
/** With the second to which a pod's age is exact, and the time that its start takes. */
const STEADY_MS = 8_000;

/** A namespace with an operator of its own, in this process, whose writes can go wrong. */
export class Ground {
  readonly namespace: string;
  readonly cluster: ClusterUnderTest;
  readonly objects: NamespaceHistory;
  readonly backups = new MemoryBackups();
  readonly operators: Operators;
  readonly membership: MembershipWatch;
  readonly #world: RealWorld;
  #kept = 0;

  private constructor(world: RealWorld, namespace: string) {
    this.#world = world;
    this.namespace = namespace;
    this.cluster = new ClusterUnderTest(world.client, { name: CLUSTER, namespace });
    this.objects = world.history.of(namespace);
    this.operators = new Operators(world, namespace, this.backups);
    this.membership = new MembershipWatch(this.cluster);
    this.membership.start();
  }

  static async open(world: RealWorld, namespace: string): Promise<Ground> {
    await world.client.create(resources.namespaces, { metadata: { name: namespace } });
    const account = { namespace, name: "default" };
    await until(() => world.client.get(resources.serviceAccounts, account), { what: `the account of ${namespace}` });
    return new Ground(world, namespace);
  }

  async close(): Promise<void> {
    this.operators.stop();
    await this.membership.stop();
    // Whatever is left goes with the world.
    await this.#world.client.delete(resources.namespaces, { name: this.namespace }).catch(() => undefined);
  }

  async create<T extends KubeObject>(resource: Resource<T>, name: string, rest: object): Promise<void> {
    const metadata = { name, namespace: this.namespace };
    // The API server judges what it is.
    await this.#world.client.create(resource, { metadata, ...rest } as unknown as T);
  }

  async patch(resource: Resource, name: string, change: object): Promise<void> {
    await this.#world.client.patch(resource, { namespace: this.namespace, name }, { merge: change });
  }

  async createCluster(spec: object): Promise<void> {
    await this.create(ownResources.etcdClusters, CLUSTER, { spec: { version: "3.5.16", ...spec } });
  }

  /** Takes the youngest pod away, as a node that is lost does. */
  async losePod(): Promise<void> {
    const { name } = this.pods.at(-1)?.metadata ?? {};
    if (!name) throw new Error("there is no pod");
    await this.#world.client.delete(resources.pods, { name, namespace: this.namespace }, { gracePeriodSeconds: 0 });
  }

  /**
   * Has a healthy cluster, a new one or the one that there is; its oldest member leads, so that the youngest can
   * be removed.
   */
  async withCluster(create: () => Promise<void>, change?: () => Promise<void>): Promise<void> {
    await (this.pods.length === 0 ? create() : change?.());
    await this.settled();
    await this.#oldestLeads();
  }

  /** Of the members, the oldest first. */
  get pods() {
    return this.objects.of(resources.pods).filter(({ metadata }) => metadata.labels?.etcd_cluster === CLUSTER);
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

  /** Has all of a kind deleted, and waits until they are gone. */
  async deleteAll(resource: Resource): Promise<void> {
    await this.#world.client.deleteCollection(resource, { namespace: this.namespace });
    const isGone = async () =>
      (await this.#world.client.list(resource, { namespace: this.namespace })).items.length === 0;
    await until(isGone, { what: `all ${resource.plural} to be gone`, timeoutMs: SETTLE_MS });
  }

  /** What is not yet as the spec of the cluster says, or is not reported as it is. */
  async unsettled(): Promise<readonly string[]> {
    const [told] = this.objects.of(ownResources.etcdClusters);
    if (!told) return ["there is no cluster"];
    const [{ size }, { readyMembers }] = [told.spec, told.status ?? {}];
    if (readyMembers !== size) return [`${readyMembers} of ${size} are ready`];
    // A report may be of the past: a user that has just changed something must not take it for the outcome.
    const [cluster, pods, members] = await Promise.all([this.cluster.get(), this.cluster.pods(), this.#members()]);
    return [...unsettled({ cluster, members, pods }, cluster.spec.size), ...this.#leaving()];
  }

  /** Objects that are being deleted, and claims of members that no longer exist. */
  #leaving(): readonly string[] {
    const members = new Set(this.pods.map(({ metadata }) => metadata.name));
    const claims = this.objects.of(resources.persistentVolumeClaims);
    const extra = claims.filter(({ metadata }) => !members.has(metadata.name));
    const going = [...this.pods, ...claims].filter(({ metadata }) => metadata.deletionTimestamp);
    return [...extra, ...going].map(({ kind, metadata }) => `${kind} ${metadata.name} is still there`);
  }

  /** None where there is no leader. */
  async #members(): Promise<readonly Member[]> {
    const answers = await this.cluster.answers();
    const leader = answers.find(({ status }) => status.leaderId === status.memberId);
    return leader ? this.cluster.ask(leader.pod, (client) => client.members()).catch(() => []) : [];
  }

  async settled(): Promise<void> {
    const isSettled = async () => (await this.unsettled()).length === 0;
    await until(isSettled, { what: "the set-up to settle", timeoutMs: SETTLE_MS, everyMs: 100 });
  }

  async #oldestLeads(): Promise<void> {
    const oldest = this.pods[0]?.metadata.name ?? "";
    const doesLead = async () => {
      const { leader } = await this.cluster.roles();
      if (leader.metadata.name === oldest) return true;
      const id = (await this.cluster.memberIds())[oldest];
      if (id !== undefined) await this.cluster.ask(leader, (client) => client.moveLeader(id));
      return false;
    };
    await until(doesLead, { what: `${oldest} to lead`, timeoutMs: SETTLE_MS });
  }

  /** Writes what is to be there in the end. */
  async putKept(): Promise<void> {
    this.#kept += 1;
    await until(() => this.cluster.put(KEPT, String(this.#kept)), { what: "a write" });
  }

  async lostData(): Promise<readonly string[]> {
    const found = await until(async () => ({ value: await this.cluster.valueOf(KEPT) }), { what: "a read" });
    return found.value === String(this.#kept) ? [] : [`'${found.value}' is in the cluster instead of '${this.#kept}'`];
  }

  /**
   * Where something of a Secret was to be seen: in objects, in the store of backups, and in what operators have logged
   * from a line on.
   */
  secretsSeen(fromLine: number): readonly string[] {
    const store = [...this.backups.store.objects].map(([key, text]) => ({ name: `the store, ${key}`, text }));
    const log = this.operators.log.slice(fromLine).map((text) => ({ name: "the log", text }));
    return this.objects.secrets.with([...store, ...log]);
  }

  /** etcd takes no change of its members until all have been connected for 5 s. */
  async isSteady(): Promise<void> {
    const youngest = this.pods.at(-1)?.metadata.creationTimestamp ?? "";
    await pause(Math.max(0, Date.parse(youngest) + STEADY_MS - Date.now()));
  }

  /** Nothing of a cluster, a backup or a restore is left. */
  async emptied(): Promise<void> {
    const { client } = this.#world;
    for (const kind of [ownResources.etcdRestores, ownResources.etcdBackups, ownResources.etcdClusters]) {
      await this.deleteAll(kind as Resource);
    }
    this.backups.store.objects.clear();
    await client.deleteCollection(resources.pods, { namespace: this.namespace, gracePeriodSeconds: 0 });
    for (const kind of [resources.persistentVolumeClaims, resources.secrets]) {
      await client.deleteCollection(kind as Resource, { namespace: this.namespace });
    }
    const isEmpty = () => this.objects.plurals.length === 0;
    await until(isEmpty, { what: `nothing to be left of ${this.objects.plurals.join(", ")}`, timeoutMs: SETTLE_MS });
  }
}
