import type { Stored } from "@etcd-operator/kubernetes-client";
import { hasCode } from "@etcd-operator/kubernetes-client";
import type { EtcdBackup } from "@etcd-operator/operator/api/etcd-backup.ts";
import type { EtcdRestore } from "@etcd-operator/operator/api/etcd-restore.ts";
import { API_VERSION } from "@etcd-operator/operator/api/group.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { until } from "../../until.ts";
import type { ClusterScenario } from "../cluster-scenario.ts";
import { type BackupPlace, backupTo, restoreFrom } from "./backup-places.ts";

const PATIENCE_MS = 180_000;
const NAMESPACE = "default";

type BackupStatus = NonNullable<EtcdBackup["status"]>;
type RestoreStatus = NonNullable<EtcdRestore["status"]>;

/** The EtcdBackups and EtcdRestores of a scenario, as a user writes and reads them. */
export class BackupsUnderTest {
  readonly #scenario: ClusterScenario;
  readonly #place: BackupPlace;

  /** Makes the Secret or the claim that the place needs. */
  static async at(scenario: ClusterScenario, place: BackupPlace): Promise<BackupsUnderTest> {
    await scenario.local.apply(...place.objects);
    return new BackupsUnderTest(scenario, place);
  }

  private constructor(scenario: ClusterScenario, place: BackupPlace) {
    this.#scenario = scenario;
    this.#place = place;
  }

  async create(name: string, cluster: string, given: BackupGiven = {}): Promise<void> {
    const { policy, key = name, spec } = given;
    await this.#scenario.client.create(ownResources.etcdBackups, {
      apiVersion: API_VERSION,
      kind: "EtcdBackup",
      metadata: { namespace: NAMESPACE, name },
      spec: {
        etcdCluster: { name: cluster },
        ...backupTo(this.#place, key),
        ...(policy && { backupPolicy: policy }),
        ...spec,
      },
    });
  }

  get(name: string): Promise<Stored<EtcdBackup>> {
    return this.#scenario.client.get(ownResources.etcdBackups, { namespace: NAMESPACE, name });
  }

  async edit(name: string, spec: object): Promise<void> {
    await this.#scenario.client.patch(ownResources.etcdBackups, { namespace: NAMESPACE, name }, { merge: { spec } });
  }

  async delete(name: string): Promise<void> {
    await this.#scenario.client.delete(ownResources.etcdBackups, { namespace: NAMESPACE, name });
  }

  /** Waits until the status of a backup is as the test wants it. */
  async becomes(name: string, what: string, is: (status: BackupStatus) => unknown, timeoutMs = PATIENCE_MS) {
    return awaited(`${name} ${what}`, async () => (await this.get(name)).status, is, timeoutMs);
  }

  async succeeds(name: string): Promise<BackupStatus> {
    return this.becomes(name, "to succeed", ({ succeeded }) => succeeded);
  }

  /** A backup that is taken once, now. */
  async taken(name: string, cluster: string): Promise<BackupStatus> {
    await this.create(name, cluster);
    return this.succeeds(name);
  }

  async restore(cluster: string, key: string, spec: Partial<EtcdRestore["spec"]> = {}, name = cluster): Promise<void> {
    await this.#scenario.client.create(ownResources.etcdRestores, {
      apiVersion: API_VERSION,
      kind: "EtcdRestore",
      metadata: { namespace: NAMESPACE, name },
      spec: { etcdCluster: { name: cluster }, ...restoreFrom(this.#place, key), ...spec } as EtcdRestore["spec"],
    });
  }

  getRestore(name: string): Promise<Stored<EtcdRestore>> {
    return this.#scenario.client.get(ownResources.etcdRestores, { namespace: NAMESPACE, name });
  }

  /** As a user does, and waits until it is gone. */
  async deleteRestore(name: string): Promise<void> {
    await this.#scenario.client.delete(ownResources.etcdRestores, { namespace: NAMESPACE, name });
    const isGone = () =>
      this.getRestore(name).then(
        () => false,
        (error: unknown) => hasCode(error, "not-found"),
      );
    await until(isGone, { what: `EtcdRestore ${name} to be gone`, timeoutMs: PATIENCE_MS });
  }

  async restoreBecomes(name: string, what: string, is: (status: RestoreStatus) => unknown, timeoutMs = PATIENCE_MS) {
    return awaited(`restore ${name} ${what}`, async () => (await this.getRestore(name)).status, is, timeoutMs);
  }

  async restoreSucceeds(name: string): Promise<RestoreStatus> {
    return this.restoreBecomes(name, "to succeed", ({ succeeded }) => succeeded);
  }

  async restoreFails(name: string): Promise<string> {
    const { reason = "" } = await this.restoreBecomes(name, "to fail", ({ phase }) => phase === "Failed");
    return reason;
  }
}

interface BackupGiven {
  readonly policy?: EtcdBackup["spec"]["backupPolicy"];
  /** Its own name by default. */
  readonly key?: string;
  /** Instead of what would be there. */
  readonly spec?: Partial<EtcdBackup["spec"]>;
}

async function awaited<Status>(
  what: string,
  read: () => Promise<Status | undefined>,
  is: (status: Status) => unknown,
  timeoutMs: number,
): Promise<Status> {
  let last: Status | undefined;
  const look = async () => {
    last = await read();
    return last !== undefined && Boolean(is(last)) && last;
  };
  return until(look, { what, timeoutMs, everyMs: 100 }).catch((error: Error) => {
    throw new Error(`${error.message}; its status: ${JSON.stringify(last)}`, { cause: error.cause });
  });
}
