import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { KubeClient, resources } from "@etcd-operator/kubernetes-client";
import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { startLocalMode } from "@etcd-operator/testing/local/local-mode.ts";
import type { Cleanup } from "../cleanup.ts";
import { UNATTENDED } from "../cluster/by-hand.ts";
import { WatchedWorld } from "../cluster/watched-world.ts";
import type { Figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { type LargeCluster, largeCluster } from "./large-cluster.ts";
import { measureRestore } from "./restore-race.ts";
import { anS3Bucket, aVolume, type Place } from "./stores.ts";
import { backUp, measureThroughput, saveTo } from "./throughput.ts";

const LARGE_BYTES = repetitions(2 * 2 ** 30, 2 ** 29);
const SMALL_BYTES = 32 * 2 ** 20;

/** What a backup of a large database costs, and how soon a cluster is back. */
export async function measureBackups(cleanup: Cleanup): Promise<readonly Figure[]> {
  const local = await cleanup.use(startLocalMode({ operator: true }), (started) => started.dispose());
  const connected = connectionFromKubeconfig(local.kubeconfig).then((connection) => new KubeClient(connection));
  const client = await cleanup.use(connected, (opened) => opened.close());
  const world = await cleanup.use(WatchedWorld.open(client), async (opened) => opened.close());
  await client.create(resources.namespaces, { metadata: { name: UNATTENDED } });
  const volume = await aVolume(client);
  const figures = [await measureRestoreFrom(world, cleanup, volume)];
  const large = await largeCluster(world, "large", LARGE_BYTES);
  for (const place of [volume, await anS3Bucket(client, cleanup)]) {
    figures.push(...(await measureThroughput(client, local, large, place)));
  }
  return figures;
}

async function measureRestoreFrom(world: WatchedWorld, cleanup: Cleanup, place: Place): Promise<Figure> {
  const source = await largeCluster(world, "source", SMALL_BYTES);
  const saved = await savedFrom(world, cleanup, place, source);
  await source.cluster.end();
  return measureRestore(world, place, saved);
}

async function savedFrom({ client }: WatchedWorld, cleanup: Cleanup, place: Place, source: LargeCluster) {
  const name = "source";
  await backUp(client, name, source, place);
  const dir = await cleanup.use(mkdtemp(join(tmpdir(), "saved-snapshot-")), (made) => rm(made, { recursive: true }));
  const file = join(dir, "snapshot.db");
  await saveTo(file, source);
  return { path: name, file, sizeBytes: (await stat(file)).size };
}
