import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectionFromKubeconfig } from "../../../src/kubernetes/kubeconfig.ts";
import { KubeClient } from "../../../src/kubernetes/rest-client.ts";
import { type NetworkFaults, networkFaults } from "../../../src/local/network/faults.ts";
import { instanceOf } from "../../../src/local/supervisor/instance.ts";
import { scratchDirectory } from "../../support/kube/scratch-directory.ts";
import { guardLinks } from "../../support/local/guarded-links.ts";
import { type LocalModeUnderTest, startLocalMode } from "../../support/local/local-mode.ts";
import { OperatorProcess } from "../../support/scenario/operator-process.ts";
import { StartLog } from "./start-log.ts";

/** One local mode with a cluster-wide operator, on which plans run beside each other. */
export interface AmnesiaWorld {
  readonly local: LocalModeUnderTest;
  readonly client: KubeClient;
  readonly operator: OperatorProcess;
  readonly faults: NetworkFaults;
  readonly starts: StartLog;
  /** How the operator ended, if it did: it must not. */
  operatorEnd(): string | undefined;
  /** A folder for copies of volumes, on the same disk as the volumes. */
  readonly aside: string;
  stop(): Promise<void>;
}

/** Starts it in a folder of its own; when this process is killed, processes, links and folder go all the same. */
export async function startWorld(): Promise<AmnesiaWorld> {
  const scratch = await scratchDirectory(join(tmpdir(), "amnesia-"));
  const stateDir = join(scratch.path, "state");
  const linksAreGone = guardLinks(instanceOf(stateDir));
  const local = await startLocalMode({ stateDir });
  const client = new KubeClient(await connectionFromKubeconfig(local.kubeconfig), { userAgent: "amnesia" });
  const operator = await OperatorProcess.start(local, { isClusterWide: true });
  let end: string | undefined;
  void operator.ended.then((how) => {
    end = how;
  });
  const starts = new StartLog(client, stateDir, join(scratch.path, "logs"));
  return {
    local,
    client,
    operator,
    faults: networkFaults(local.config),
    starts,
    operatorEnd: () => end,
    aside: join(scratch.path, "aside"),
    async stop() {
      await starts.stop();
      await operator.stop();
      await client.close();
      await local.stop();
      await linksAreGone();
      await scratch.remove();
    },
  };
}
