import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { randomOf } from "../../model/random.ts";
import { startLocalWorld } from "../local-world/local-world.ts";
import { ObjectHistory } from "./object-history.ts";
import { poolAsk } from "./pool-ask.ts";
import type { RealWorld } from "./real-world.ts";

/** Local mode, with real etcd for the API server and for the members. */
export async function localWorld(suite: string, seed: number): Promise<RealWorld> {
  const { local, client, stop } = await startLocalWorld(suite);
  const over = new AbortController();
  const connection = await connectionFromKubeconfig(local.kubeconfig);
  const { ask, close } = await poolAsk(connection);
  const random = randomOf(seed);
  return {
    client,
    connection,
    ask,
    history: await ObjectHistory.begin(client, over.signal),
    random: () => random.int(2 ** 30) / 2 ** 30,
    async stop() {
      over.abort();
      await close();
      await stop();
    },
  };
}
