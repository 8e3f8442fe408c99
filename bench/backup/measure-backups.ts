import { connectionFromKubeconfig } from "../../src/kubernetes/kubeconfig.ts";
import { KubeClient } from "../../src/kubernetes/rest-client.ts";
import { startLocalMode } from "../../test/support/local/local-mode.ts";
import type { Cleanup } from "../cleanup.ts";
import { WatchedWorld } from "../cluster/watched-world.ts";
import type { Figure } from "../figure.ts";
import { repetitions } from "../repetitions.ts";
import { largeCluster } from "./large-cluster.ts";
import { anS3Bucket, aVolume } from "./stores.ts";
import { measureThroughput } from "./throughput.ts";

const SIZE_BYTES = repetitions(2 * 2 ** 30, 2 ** 29);

/** What a backup of a large database costs. */
export async function measureBackups(cleanup: Cleanup): Promise<readonly Figure[]> {
  const local = await cleanup.use(startLocalMode({ operator: true }), (started) => started.dispose());
  const connected = connectionFromKubeconfig(local.kubeconfig).then((connection) => new KubeClient(connection));
  const client = await cleanup.use(connected, (opened) => opened.close());
  const world = await cleanup.use(WatchedWorld.open(client), async (opened) => opened.close());
  const large = await largeCluster(world, "large", SIZE_BYTES);
  const places = [await aVolume(client), await anS3Bucket(client, cleanup)];
  const figures: Figure[] = [];
  for (const place of places) figures.push(...(await measureThroughput(client, local, large, place)));
  return figures;
}
