import { connectionFromKubeconfig } from "../../src/kubernetes/kubeconfig.ts";
import { resources } from "../../src/kubernetes/resources.ts";
import { KubeClient } from "../../src/kubernetes/rest-client.ts";
import { startLocalMode } from "../../test/support/local/local-mode.ts";
import type { Cleanup } from "../cleanup.ts";
import type { Figure } from "../figure.ts";
import { UNATTENDED } from "./by-hand.ts";
import { measureFleet } from "./fleet.ts";
import { measureRace, warmUp } from "./race.ts";
import { WatchedWorld } from "./watched-world.ts";
import { measureWriteGap } from "./write-gap.ts";

/** The operator beside somebody who does the same by hand, and what it promises on its own. */
export async function measureClusters(cleanup: Cleanup): Promise<readonly Figure[]> {
  const local = await cleanup.use(startLocalMode({ operator: true }), (started) => started.dispose());
  const connected = connectionFromKubeconfig(local.kubeconfig).then((connection) => new KubeClient(connection));
  const client = await cleanup.use(connected, (opened) => opened.close());
  const world = await cleanup.use(WatchedWorld.open(client), async (opened) => opened.close());
  await client.create(resources.namespaces, { metadata: { name: UNATTENDED } });
  await warmUp(world, local);
  return [...(await measureRace(world, local)), await measureWriteGap(world), ...(await measureFleet(world, local))];
}
