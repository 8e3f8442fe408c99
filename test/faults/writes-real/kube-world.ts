import { connectionFromKubeconfig } from "@etcd-operator/kubernetes-client/connect/kubeconfig.ts";
import { applyCrds } from "@etcd-operator/testing/kube/control-plane/crds.ts";
import { startKubeWithNode } from "@etcd-operator/testing/kube/control-plane/kube-with-node.ts";
import { createVolumes } from "@etcd-operator/testing/kube/control-plane/volumes.ts";
import { randomOf } from "../../model/random.ts";
import { ObjectHistory } from "./object-history.ts";
import { poolAsk } from "./pool-ask.ts";
import type { RealWorld } from "./real-world.ts";

/** More than all claims of a run: none is cleaned up for the next. */
const VOLUMES = 60;

/** A real kube-apiserver and kube-controller-manager, with this machine as their node. */
export async function kubeWorld(seed: number): Promise<RealWorld> {
  const machine = await startKubeWithNode();
  const { client, kube, workspace } = machine;
  const over = new AbortController();
  try {
    await applyCrds(kube);
    await createVolumes(client, workspace.directory, VOLUMES);
    const connection = await connectionFromKubeconfig(kube.adminKubeconfig);
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
        await machine.stop();
      },
    };
  } catch (error) {
    await machine.stop();
    throw error;
  }
}
