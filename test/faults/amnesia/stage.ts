import { join } from "node:path";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { clusterWide, resources } from "@etcd-operator/kubernetes-client/requests/resources.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import type { Witness } from "@etcd-operator/testing/scenario/data/witness.ts";
import { volumeFolder } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { type Random, randomOf } from "../../model/random.ts";
import { MembershipWatch } from "../membership/membership-watch.ts";
import type { AmnesiaPlan, Role } from "./plan.ts";
import { StatusWatch } from "./status-watch.ts";
import type { AmnesiaWorld } from "./world.ts";

/** A member as it was when it got its part. */
export interface Actor {
  readonly pod: Stored<Pod>;
  readonly memberId: bigint | undefined;
  /** Where its volume lies on this machine. */
  readonly folder: string;
}

/** Every cluster of a plan has this name, each in a namespace of its own. */
const CLUSTER = "etcd";
/**
 * Short for members that never start again; long where no member is replaced for being late, so that a slow machine is
 * no reason either.
 */
const PATIENCE_SECONDS = { short: 8, long: 60 };
const namespaces = clusterWide("v1", "Namespace", "namespaces");
const ROLES: readonly Role[] = ["leader", "follower", "other", "third", "fourth"];

/** What a plan plays on: its cluster, the part of each member, and what was kept aside. */
export class Stage {
  readonly world: AmnesiaWorld;
  readonly plan: AmnesiaPlan;
  readonly namespace: string;
  readonly cluster: ClusterUnderTest;
  readonly random: Random;
  readonly copies = new Map<string, string>();
  readonly watch: StatusWatch;
  readonly membership: MembershipWatch;
  witness: Witness | undefined;
  isPaused = false;
  /** The moment that the plan is about has passed. */
  isTooLate = false;
  readonly #cast = new Map<Role, Actor>();
  readonly #witnesses: Witness[] = [];

  constructor(world: AmnesiaWorld, plan: AmnesiaPlan, attempt: number) {
    this.world = world;
    this.plan = plan;
    this.namespace = `amnesia-${plan.name}${attempt > 1 ? `-${attempt}` : ""}`;
    this.cluster = new ClusterUnderTest(world.client, { name: CLUSTER, namespace: this.namespace });
    this.random = randomOf(plan.seed);
    this.watch = new StatusWatch(this.cluster);
    this.membership = new MembershipWatch(this.cluster);
  }

  async open(): Promise<void> {
    await this.makeNamespace(this.namespace);
    if (offersVolumes(this.plan)) await this.#makeStorageClass();
    await this.createCluster();
    this.watch.start();
    this.membership.start();
  }

  /** That of a second cluster, where the plan has one. */
  get secondNamespace(): string {
    return `${this.namespace}-b`;
  }

  get namespaces(): readonly string[] {
    return [this.namespace, this.secondNamespace];
  }

  async makeNamespace(name: string): Promise<void> {
    const { client } = this.world;
    await client.create(namespaces, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    // Pods need it, and it is made a moment later.
    const account = { namespace: name, name: "default" };
    await until(() => client.get(resources.serviceAccounts, account), { what: `the account of ${name}` });
  }

  /** Like the default one of local mode, but this plan's own: volumes that it has ready are not for the others. */
  async #makeStorageClass(): Promise<void> {
    const { client } = this.world;
    const { metadata: _, ...like } = await client.get(resources.storageClasses, { name: "standard" });
    await client.create(resources.storageClasses, { ...like, metadata: { name: storageClassOf(this.plan.name) } });
  }

  async createCluster(size = this.plan.size, namespace = this.namespace): Promise<void> {
    const manifest = manifestOf({ ...this.plan, size }, namespace);
    // The API server judges it and fills in the rest.
    await this.world.client.create(ownResources.etcdClusters, manifest as unknown as EtcdCluster);
  }

  async close(): Promise<void> {
    await Promise.all([this.watch.stop(), this.membership.stop()]);
    await Promise.all(this.#witnesses.map((witness) => witness.stop()));
    for (const name of this.namespaces) {
      await this.world.client.delete(namespaces, { name }).catch(() => undefined);
    }
  }

  /** A client that writes from now on. */
  async startWitness(name: string): Promise<Witness> {
    this.witness = await this.cluster.witness({ name, writers: 2, paceMs: 40 });
    this.#witnesses.push(this.witness);
    return this.witness;
  }

  get writeGapMs(): number {
    return Math.max(0, ...this.#witnesses.map((witness) => witness.report().longestGapMs));
  }

  /** Gives the members their parts; the seed decides which follower plays which. */
  async castAll(): Promise<void> {
    const { leader, followers } = await this.cluster.roles();
    const rest = [...followers].sort((one, other) => one.metadata.name.localeCompare(other.metadata.name));
    const order: Stored<Pod>[] = [leader];
    while (rest.length > 0) order.push(...rest.splice(this.random.int(rest.length), 1));
    const ids = await this.cluster.memberIds();
    for (const [index, pod] of order.entries()) {
      const role = ROLES[index];
      if (role) await this.cast(role, pod, ids[pod.metadata.name]);
    }
  }

  async cast(role: Role, pod: Stored<Pod>, memberId?: bigint): Promise<Actor> {
    const actor = { pod, memberId, folder: await this.folderOf(pod) };
    this.#cast.set(role, actor);
    return actor;
  }

  actor(role: Role): Actor {
    const actor = this.#cast.get(role);
    if (!actor) throw new Error(`no member plays the ${role}`);
    return actor;
  }

  /** Whether a member of this name has a part. */
  knows(name: string): boolean {
    return [...this.#cast.values()].some(({ pod }) => pod.metadata.name === name);
  }

  nameOf(role: Role): string {
    return this.actor(role).pod.metadata.name;
  }

  /** Its pod as it is now, which may be another one of the same name. */
  podOf(role: Role): Promise<Stored<Pod>> {
    return this.world.client.get(resources.pods, { namespace: this.namespace, name: this.nameOf(role) });
  }

  async folderOf(pod: Stored<Pod>): Promise<string> {
    const usesClaim = pod.spec?.volumes?.some((volume) => volume.persistentVolumeClaim !== undefined);
    if (usesClaim) return volumeFolder(this.world, pod);
    return join(this.world.local.stateDir, "pods", pod.metadata.uid, "volumes", "etcd-data");
  }

  async pause(isPaused: boolean): Promise<void> {
    if (this.isPaused === isPaused) return;
    await this.cluster.changeSpec({ paused: isPaused });
    if (isPaused) await this.cluster.becomes("to be paused", ({ status }) => status?.controlPaused === true);
    this.isPaused = isPaused;
  }
}

function manifestOf(plan: AmnesiaPlan, namespace: string) {
  const { size, claims, settings = {}, steps, name } = plan;
  const { version = "3.5.16", bootstrap = "Parallel", replaceAfterSeconds = patienceSeconds(plan) } = settings;
  const storageClass = offersVolumes({ steps }) ? { storageClass: storageClassOf(name) } : {};
  const options = { size, version, namespace, claims, bootstrap, replaceAfterSeconds, ...storageClass };
  const manifest = aManifest(CLUSTER, { ...options, isClusterWide: true, whenDeleted: "Delete" });
  const { snapshotCount, whenScaled = "Delete" } = settings;
  const etcdEnv = snapshotCount ? [{ name: "ETCD_SNAPSHOT_COUNT", value: String(snapshotCount) }] : [];
  const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete", whenScaled };
  const pod = { ...(manifest.spec.pod as object | undefined), etcdEnv };
  return { ...manifest, spec: { ...manifest.spec, pod, persistentVolumeClaimRetentionPolicy } };
}

/** A member that is refused is replaced at once. */
function patienceSeconds({ size, expect }: AmnesiaPlan): number {
  const areAllKept = expect.kept?.length === size && expect.size === undefined;
  return expect.refusals || areAllKept ? PATIENCE_SECONDS.long : PATIENCE_SECONDS.short;
}

function offersVolumes({ steps }: Pick<AmnesiaPlan, "steps">): boolean {
  return steps.some((step) => step.do === "offer-volume");
}

export function storageClassOf(plan: string): string {
  return `amnesia-${plan}`;
}
