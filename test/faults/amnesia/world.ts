import { join } from "node:path";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import type { LocalModeUnderTest } from "@etcd-operator/testing/local/local-mode.ts";
import { type NetworkFaults, networkFaults } from "@etcd-operator/testing/local/network-faults.ts";
import { OperatorProcess } from "@etcd-operator/testing/scenario/operator/operator-process.ts";
import { type LocalWorld, startLocalWorld } from "../local-world/local-world.ts";
import { StartLog } from "./start-log.ts";

/** One local mode with a cluster-wide operator, on which plans run beside each other. */
export interface AmnesiaWorld {
  readonly local: LocalModeUnderTest;
  readonly client: KubeClient;
  readonly operator: OperatorProcess;
  readonly faults: NetworkFaults;
  readonly starts: StartLog;
  readonly loops: LocalWorld["loops"];
  /** How the operator ended, if it did: it must not. */
  operatorEnd(): string | undefined;
  /** A folder for copies of volumes, on the same disk as the volumes. */
  readonly aside: string;
  stop(): Promise<void>;
}

export async function startWorld(): Promise<AmnesiaWorld> {
  const { local, client, folder, loops, stop } = await startLocalWorld("amnesia");
  const operator = await OperatorProcess.start(local, { isClusterWide: true }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  let end: string | undefined;
  void operator.ended.then((how) => {
    end = how;
  });
  const starts = new StartLog(client, local.stateDir, join(folder, "logs"));
  return {
    local,
    client,
    operator,
    faults: networkFaults(local.config),
    starts,
    loops,
    operatorEnd: () => end,
    aside: join(folder, "aside"),
    async stop() {
      await starts.stop();
      await operator.stop();
      await stop();
    },
  };
}
