import { randomInt } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { KubernetesError, resources } from "@etcd-operator/kubernetes-client";
import type { ListOptions } from "@etcd-operator/kubernetes-client/requests/request-options.ts";
import { startWorkerServer, Uploads } from "@etcd-operator/object-store";
import { Directory } from "@etcd-operator/object-store/volume/directory.ts";
import { directoryRoutes } from "@etcd-operator/object-store/volume/directory-routes.ts";
import { TRANSFER_PORT, transferSecretName } from "@etcd-operator/operator/transfer/names.ts";
import {
  type BackupStoreRequest,
  type OpenBackupStore,
  openBackupStore,
} from "@etcd-operator/operator/transfer/store/open-backup-store.ts";
import { TRANSFER_FILES } from "@etcd-operator/operator/transfer/transfer-files.ts";
import { ClaimTurns } from "@etcd-operator/operator/transfer/volume/claim-turns.ts";
import type { Waiting } from "@etcd-operator/operator/transfer/volume/free-claim.ts";
import type { Pod, PodStatus } from "kubernetes-types/core/v1.d.ts";
import { onTestFinished } from "vitest";
import { ClusterUnderTest } from "../kubelet/cluster-under-test.ts";
import { FakeClock } from "../kubernetes/fake-clock.ts";
import { until } from "../until.ts";
import { ANY_TRUST } from "./any-trust.ts";

export const owner = {
  apiVersion: "etcd.database.coreos.com/v1beta2",
  kind: "EtcdBackup",
  name: "nightly",
  uid: "uid-1",
};
const spec = { storageType: "Volume", volume: { claimName: "backups", path: "etcd/backup" } } as const;
const request = { namespace: "prod", owner, spec };

/** A cluster in which pods do what the test says. */
export class VolumeWorld {
  readonly clock = new FakeClock();
  readonly cluster = new ClusterUnderTest();
  readonly #mayMakeSecrets: boolean;
  readonly #claimTurns = new ClaimTurns();
  #timesAsked = 0;

  constructor(mayMakeSecrets: boolean) {
    this.#mayMakeSecrets = mayMakeSecrets;
  }

  /** For an EtcdBackup of this name, which reports what it waits for. */
  openAs(name: string, heard: string[]): Promise<OpenBackupStore> {
    const waiting: Waiting = (what, wait) => {
      heard.push(`${name}: ${what}`);
      return wait();
    };
    return this.open(undefined, {}, { owner: { ...owner, name, uid: `uid-of-${name}` }, waiting });
  }

  /** A pod that uses the claim. */
  async anyPod(name: string, metadata: Stored["metadata"] | object, nodeName?: string): Promise<Stored<Pod>> {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "backups" } }];
    const spec = { volumes, containers: [], ...(nodeName && { nodeName }) };
    return this.cluster.create(resources.pods, { metadata: { namespace: "prod", name, ...metadata }, spec });
  }

  /** Its containers have ended. */
  async gone({ metadata }: Stored<Pod>): Promise<void> {
    await this.cluster.delete(resources.pods, metadata, { gracePeriodSeconds: 0 });
    await this.clock.advance(20_000);
  }

  open(
    signal = new AbortController().signal,
    about: Partial<BackupStoreRequest["spec"]> = {},
    more: Partial<BackupStoreRequest> = {},
  ): Promise<OpenBackupStore> {
    const { clock, cluster } = this;
    const client = {
      get: cluster.get.bind(cluster),
      list: async <T extends KubeObject>(resource: Resource<T>, { labelSelector = "" }: ListOptions = {}) => {
        const page = await cluster.list(resource);
        return { ...page, items: page.items.filter(({ metadata }) => selects(labelSelector, metadata.labels)) };
      },
      delete: cluster.delete.bind(cluster),
      create: async <T extends KubeObject>(resource: Resource<T>, object: T): Promise<Stored<T>> => {
        if (resource.kind !== "Secret" || this.#mayMakeSecrets) return cluster.create(resource, object);
        throw new KubernetesError("forbidden", { operation: "POST", message: "no right to make Secrets" });
      },
    };
    const deps = {
      client,
      trust: ANY_TRUST,
      clock,
      random: Math.random,
      claimTurns: this.#claimTurns,
      image: "own",
      imagePullSecrets: [{ name: "ours" }],
    };
    return openBackupStore(deps, { ...request, ...more, spec: { ...spec, ...about } }, signal);
  }

  async workers(): Promise<Stored<Pod>[]> {
    const { items } = await this.cluster.list(resources.pods);
    return items.filter(({ metadata }) => metadata.name.includes("-worker-") && !metadata.deletionTimestamp);
  }

  async workerMadeBy(opening: Promise<OpenBackupStore>, besides: readonly string[] = []) {
    const pod = await this.workerMade(besides);
    return { pod, opened: await this.run(pod, opening) };
  }

  /** The pod, once it is there with its Secret. */
  async workerMade(besides: readonly string[] = []): Promise<Stored<Pod>> {
    return until(
      async () => {
        const pod = (await this.workers()).find(({ metadata }) => !besides.includes(metadata.name));
        const secret = { namespace: "prod", name: transferSecretName(pod?.metadata.name ?? "") };
        return (await this.cluster.get(resources.secrets, secret)) && pod;
      },
      { what: "a worker", everyMs: 1 },
    );
  }

  async set({ metadata }: Stored<Pod>, status: PodStatus): Promise<void> {
    await this.cluster.patch(resources.pods, metadata, { merge: { status } });
  }

  /** Does what a kubelet would: starts the worker with the Secret's files. Loopback has enough addresses for all. */
  async run(pod: Stored<Pod>, opening: Promise<OpenBackupStore>): Promise<OpenBackupStore> {
    const directory = new Directory(await aFolder());
    const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
    const routes = {
      ...directoryRoutes(directory, new Uploads(directory.uploadsFolder)),
      "GET /": async () => {
        this.#timesAsked += 1;
      },
    };
    const server = await startWorkerServer(await this.#identityOf(pod), routes, { host, port: TRANSFER_PORT });
    onTestFinished(() => server.close());
    await this.set(pod, { podIP: host, containerStatuses: [aContainer({ running: {} })] });
    let opened: OpenBackupStore | undefined;
    void opening.then((result) => {
      opened = result;
    });
    const result = await until(() => this.clock.advance(200).then(() => opened), { what: "the store", everyMs: 5 });
    onTestFinished(() => result.close());
    return result;
  }

  timesAsked(): number {
    return this.#timesAsked;
  }

  async #identityOf({ metadata }: Stored<Pod>) {
    const name = transferSecretName(metadata.name);
    const secret = () => this.cluster.get(resources.secrets, { namespace: "prod", name });
    const { data = {} } = await until(secret, { what: name, everyMs: 1 });
    const read = (file: string) => Buffer.from(data[file] ?? "", "base64").toString();
    return { cert: read(TRANSFER_FILES.cert), key: read(TRANSFER_FILES.key), token: read(TRANSFER_FILES.token) };
  }
}

function selects(selector: string, labels: Readonly<Record<string, string>> = {}): boolean {
  if (selector === "") return true;
  return selector.split(",").every((term) => {
    const [key = "", value] = term.split("=");
    return value === undefined ? Object.hasOwn(labels, key) : labels[key] === value;
  });
}

export async function aVolumeWorld({
  hasClaim = true,
  mayMakeSecrets = true,
  claim = {},
  accessModes = ["ReadWriteOnce"],
} = {}): Promise<VolumeWorld> {
  const world = new VolumeWorld(mayMakeSecrets);
  const metadata = { namespace: "prod", name: "backups", ...claim };
  if (hasClaim) await world.cluster.create(resources.persistentVolumeClaims, { metadata, spec: { accessModes } });
  return world;
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "open-volume-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

export function aContainer(state: object) {
  return { name: "worker", image: "own", imageID: "", ready: false, restartCount: 0, state };
}
