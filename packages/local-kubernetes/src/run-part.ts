import { messageOf } from "@etcd-operator/kubernetes-client";
import { kubeletConfig, type LocalConfig, loadLocalConfig } from "./config.ts";
import { localClient } from "./local-client.ts";
import { stopSignal } from "./processes/stop-signal.ts";
import type { PartName } from "./supervisor/run-local-mode.ts";

/** Runs one part of local mode until it is told to stop. */
export async function runPart(name: PartName, configFile: string, node?: string): Promise<void> {
  const config = await loadLocalConfig(configFile);
  const signal = stopSignal();
  const log = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`);
  log(`${name} starts`);
  try {
    await starters[name](config, signal, log, node);
    log(`${name} has stopped`);
  } catch (error) {
    process.exitCode = 1;
    log(`${name} failed: ${messageOf(error)}`);
  }
  // Connections that are kept open for the next request would hold the process for a while.
  process.exit();
}

type Log = (line: string) => void;
type Starter = (config: LocalConfig, signal: AbortSignal, log: Log, node?: string) => Promise<void>;

// Each part loads its own code only: four processes start on a laptop's few cores.
const starters: Readonly<Record<PartName, Starter>> = {
  async apiserver(config, signal) {
    const { startApiServer } = await import("./apiserver/api-server.ts");
    const { closed } = await startApiServer(config, { signal, auditFile: process.env.LOCAL_MODE_AUDIT });
    await closed;
  },
  async network(config, signal, log) {
    const { startNetwork } = await import("./network/start-network.ts");
    const { stopped } = await startNetwork(config, { client: await localClient(config, "network"), signal, log });
    await stopped;
  },
  async controllers(config, signal, log) {
    const { startControllers } = await import("./controllers/start-controllers.ts");
    const { stopped } = await startControllers(config, {
      client: await localClient(config, "controllers"),
      signal,
      log,
    });
    await stopped;
  },
  async kubelet(config, signal, log, node) {
    const { startKubelet } = await import("./kubelet/kubelet.ts");
    const own = kubeletConfig(config, node);
    const { closed } = await startKubelet(own, { client: await localClient(config, "kubelet"), signal, log });
    await closed;
  },
};
