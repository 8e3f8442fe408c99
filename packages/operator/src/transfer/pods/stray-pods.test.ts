import type { KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { ListOptions } from "@etcd-operator/kubernetes-client/requests/request-options.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/kubelet/cluster-under-test.ts";
import { FakeClock } from "@etcd-operator/testing/kubernetes/fake-clock.ts";
import { expect, test } from "vitest";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import { isClusterWide } from "../../api/scope.ts";
import { ownResources } from "../../objects/own-resources.ts";
import { WORKER_LABELS } from "../names.ts";
import { useWorker } from "./abandoned-workers.ts";
import { removeStrayPods, sweepStrayPods } from "./stray-pods.ts";

const NAMESPACE = "prod";
const { signal } = new AbortController();

test("a worker that a killed process left is removed; one in use, of another operator, kind or object is not", async () => {
  const world = new World();
  const own = await world.backup("nightly");
  const others = await world.backup("others", { "etcd.database.coreos.com/scope": "clusterwide" });
  await world.worker("left", own);
  await world.worker("in-use", own);
  const release = useWorker(NAMESPACE, "in-use");
  await world.worker("of-another-operator", others);
  await world.worker("of-a-restore", { ...own, kind: "EtcdRestore" });
  await world.worker("of-one-before", { ...own, metadata: { ...own.metadata, uid: "before" } });
  await world.worker("of-one-gone", { ...own, metadata: { ...own.metadata, name: "gone" } });
  await world.worker("member", own, { app: "etcd" });
  await removeStrayPods(world.options, signal);
  expect(await world.left()).toEqual([
    "in-use",
    "member",
    "of-a-restore",
    "of-another-operator",
    "of-one-before",
    "of-one-gone",
  ]);
  release();
  await removeStrayPods(world.options, signal);
  expect(await world.left()).not.toContain("in-use");
});

test("strays are searched for at once and again, also after the API server did not answer; until it is ended", async () => {
  const world = new World();
  const own = await world.backup("nightly");
  world.isAway = true;
  const end = sweepStrayPods(world.options, signal);
  await world.clock.advance(1);
  expect(world.errors).toHaveLength(1);
  world.isAway = false;
  await world.worker("left", own);
  await world.clock.advance(600_000);
  expect(await world.left()).toEqual([]);
  end();
  await world.clock.advance(1);
  expect(world.clock.pendingMs).toEqual([]);
});

test("a process that does not lead any more removes nothing", async () => {
  const world = new World();
  await world.worker("left", await world.backup("nightly"));
  const fence = () => {
    throw new Error("not leading");
  };
  await expect(removeStrayPods({ ...world.options, fence }, signal)).rejects.toThrow("not leading");
  expect(await world.left()).toEqual(["left"]);
});

class World {
  readonly clock = new FakeClock();
  readonly errors: unknown[] = [];
  isAway = false;
  readonly #cluster = new ClusterUnderTest();

  get options() {
    const cluster = this.#cluster;
    return {
      client: {
        get: cluster.get.bind(cluster),
        delete: cluster.delete.bind(cluster),
        list: async <T extends KubeObject>(resource: Resource<T>, { labelSelector = "" }: ListOptions = {}) => {
          if (this.isAway) throw new Error("no answer");
          const [key = "", value] = labelSelector.split("=");
          const page = await cluster.list(resource);
          return { ...page, items: page.items.filter(({ metadata }) => metadata.labels?.[key] === value) };
        },
      },
      owners: ownResources.etcdBackups,
      sorts: [WORKER_LABELS],
      scope: { namespace: NAMESPACE, covers: (backup: Pick<Stored, "metadata">) => !isClusterWide(backup) },
      fence: () => undefined,
      onError: (error: unknown) => void this.errors.push(error),
      clock: this.clock,
    };
  }

  async backup(name: string, annotations = {}): Promise<Stored> {
    const metadata = { namespace: NAMESPACE, name, annotations };
    return this.#cluster.create(ownResources.etcdBackups, { metadata } as EtcdBackup);
  }

  async worker(name: string, { apiVersion, kind, metadata }: Stored, labels: Record<string, string> = WORKER_LABELS) {
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true };
    const of = { namespace: NAMESPACE, name, labels, ownerReferences: [owner] };
    await this.#cluster.create(resources.pods, { metadata: of, spec: { containers: [] } });
  }

  async left(): Promise<string[]> {
    const { items } = await this.#cluster.list(resources.pods);
    return items.flatMap(({ metadata }) => (metadata.deletionTimestamp ? [] : metadata.name)).sort();
  }
}
