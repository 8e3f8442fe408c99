import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { metadataKey, parseMetadata } from "@etcd-operator/operator/transfer/snapshot/snapshot-metadata.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { keysIn, type SnapshotKeys } from "../model/etcd/snapshot.ts";
import { CREDENTIALS } from "../workloads/backup-workloads.ts";
import { LIMIT_MS } from "../workloads/limit.ts";
import { CLUSTER, type Stage } from "../workloads/stage.ts";
import { QUIET_MS } from "../workloads/until-at-rest.ts";
import type { ModelMachine } from "../world/model-machine.ts";
import { NAMESPACE, type World } from "../world/world.ts";
import type { Ledger } from "./ledger.ts";
import type { SteppedClock } from "./stepped-clock.ts";

const BUCKET = "bucket";
const STORE = { storageType: "S3", s3: { path: `${BUCKET}/etcd/backup`, awsSecret: "aws" } };
/** So often that a store which is away is soon asked. */
export const BACKUP_POLICY = { backupIntervalInSecond: 120, maxBackups: 3 };

const SINCE_BACKUP_MS = 20_000;

export interface SceneGiven {
  readonly world: World<ModelMachine>;
  readonly stage: Stage;
  readonly clock: SteppedClock;
  readonly ledger: Ledger;
}

export interface RestoreAsked {
  readonly preferNewerSurvivor?: boolean;
  readonly key?: string;
  readonly revisionBump?: number;
}

export interface StoredBackup {
  /** Undefined for what is not a complete snapshot. */
  readonly snapshot: SnapshotKeys | undefined;
  /** What its metadata says that it is of. */
  readonly clusterId: string | undefined;
}

/** A cluster of three on claims with a periodic backup: where accidents happen, and what a person does about them. */
export class Scene {
  readonly world: World<ModelMachine>;
  readonly stage: Stage;
  readonly clock: SteppedClock;
  readonly ledger: Ledger;
  readonly takenByHand = new Set<string>();
  /** Accidents that are known to have happened, and not only to have been asked for. */
  readonly met: string[] = [];
  #restores = 0;
  #spec: object = {};

  constructor({ world, stage, clock, ledger }: SceneGiven) {
    this.world = world;
    this.stage = stage;
    this.clock = clock;
    this.ledger = ledger;
  }

  get objects() {
    return this.stage.objects;
  }

  get machine() {
    return this.stage.machine;
  }

  get backups() {
    return this.stage.backups;
  }

  async prepare(spec: object = {}): Promise<void> {
    const data = { credentials: Buffer.from(CREDENTIALS).toString("base64") };
    await this.stage.create(resources.secrets, "aws", { data });
    this.#spec = { bootstrap: { mode: "Parallel" }, pod: { persistentVolumeClaimSpec: A_CLAIM }, ...spec };
    await this.applyCluster();
    await this.stage.settled();
    await this.stage.time.pass(QUIET_MS);
    await this.applyBackup();
    await this.until(
      () => this.newestBackup !== undefined && this.stage.backup?.status?.succeeded === true,
      "a backup",
    );
    // So that there is something that the backup does not have.
    await this.stage.time.pass(SINCE_BACKUP_MS);
  }

  /** The manifest, as it was applied the first time. */
  async applyCluster(): Promise<void> {
    await this.stage.createCluster(this.#spec);
  }

  async applyBackup(): Promise<void> {
    const spec = { etcdCluster: { name: CLUSTER }, ...STORE, backupPolicy: BACKUP_POLICY };
    await this.stage.create(ownResources.etcdBackups, "backup", { spec });
  }

  /**
   * Asks for a backup, the newest unless another is named; or, if requested and if it is newer, for what a survivor
   * has. Returns the EtcdRestore's name.
   */
  async applyRestore({ key = this.newestBackup ?? "", ...options }: RestoreAsked = {}): Promise<string> {
    this.#restores += 1;
    const name = `restore-${this.#restores}`;
    const { storageType: backupStorageType, s3 } = STORE;
    const spec = { etcdCluster: { name: CLUSTER }, backupStorageType, s3: { ...s3, path: `${BUCKET}/${key}` } };
    await this.stage.create(ownResources.etcdRestores, name, { spec: { ...spec, ...options } });
    return name;
  }

  /** The user's manifest says another size from now on. */
  async scale(size: number): Promise<void> {
    this.#spec = { ...this.#spec, size };
    await this.stage.changeCluster({ size });
  }

  /** In the order in which they were put; what was saved before a restore does not count. */
  get backupKeys(): readonly string[] {
    return this.stage.storedKeys.filter((key) => !key.includes("_safety_"));
  }

  get newestBackup(): string | undefined {
    return this.backupKeys.at(-1);
  }

  newestBackupOf(clusterId: string): string | undefined {
    return this.backupKeys.findLast((key) => this.storedBackup(key).clusterId === clusterId);
  }

  /** What the newest restore that succeeded was made from, as it says itself. */
  get restoredKey(): string | undefined {
    const restores = this.objects.of(ownResources.etcdRestores).filter(({ status }) => status?.succeeded);
    return restores.at(-1)?.status?.snapshot?.path.slice(BUCKET.length + 1);
  }

  storedBackup(key: string): StoredBackup {
    const { objects } = this.backups.store;
    const metadata = objects.get(metadataKey(key));
    const clusterId = metadata && parseMetadata(Buffer.from(metadata).toString())?.clusterID;
    return { snapshot: keysIn(objects.get(key) ?? new Uint8Array(0)), clusterId };
  }

  restoreNamed(name: string) {
    return this.objects.of(ownResources.etcdRestores).find(({ metadata }) => metadata.name === name);
  }

  /** By hand, as the operator asks for it: members that no EtcdCluster owns. Their claims stay. */
  async deleteOrphans(): Promise<void> {
    for (const { metadata } of this.stage.memberPods) {
      const { name, namespace, ownerReferences = [] } = metadata;
      if (ownerReferences.length === 0) await this.stage.user.delete(resources.pods, { name, namespace });
    }
  }

  /** By hand, as the operator asks for it when a restore is done: what it has set aside and may not delete. */
  async deleteKeptClaims(): Promise<void> {
    const members = new Set(this.stage.memberPods.map(({ metadata }) => metadata.name));
    for (const { metadata } of this.objects.of(resources.persistentVolumeClaims)) {
      if (members.has(metadata.name)) continue;
      this.takenByHand.add(metadata.uid);
      await this.stage.user.delete(resources.persistentVolumeClaims, metadata);
    }
  }

  /** Takes a disk away with everything on it: its claim is gone for good, and so is the pod that used it. */
  async loseDisk({ metadata: { name } }: Stored<Pod>): Promise<void> {
    const claim = this.objects.of(resources.persistentVolumeClaims).find(({ metadata }) => metadata.name === name);
    if (!claim) throw new Error(`${name} has no claim`);
    this.takenByHand.add(claim.metadata.uid);
    const ref = { namespace: NAMESPACE, name };
    this.machine.kubelet.volume(claim.spec?.volumeName ?? "").wipe();
    await this.stage.user.delete(resources.persistentVolumeClaims, ref);
    await this.stage.user.delete(resources.pods, ref, { gracePeriodSeconds: 0 });
  }

  /** Throws, with what is said about it by then, when it does not come. */
  async until(holds: () => boolean, what: string, why: () => unknown = () => undefined): Promise<void> {
    if (await this.stage.time.until(holds, LIMIT_MS)) return;
    throw new Error([`waited in vain for ${what}`, ...[why() ?? []].flat()].join(": "));
  }
}
