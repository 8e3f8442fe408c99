import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LocalConfig } from "../local/config.ts";
import { freePorts } from "../local/processes/free-ports.ts";
import type { Companion } from "../local/supervisor/run-local-mode.ts";
import { NODE_FLAGS } from "../operator/node-flags.ts";
import { NAMESPACE, operatorAccount } from "./local-operator-account.ts";

/** The operator as it runs anywhere else, with the rights it has anywhere else: for the EtcdClusters of the namespace `default`. */
export async function localOperator(config: LocalConfig): Promise<Companion> {
  const [[port], kubeconfig] = await Promise.all([freePorts(1), operatorAccount(config)]);
  const address = `127.0.0.1:${port}`;
  return {
    name: "operator",
    file: process.execPath,
    args: [
      // As the first line of the program says.
      ...NODE_FLAGS,
      fileURLToPath(new URL("../etcd-operator.mjs", import.meta.url)),
      `--kubeconfig=${kubeconfig}`,
      `--namespace=${NAMESPACE}`,
      // Stores for trying are servers on this machine.
      "--allow-loopback-endpoints",
      // They are there: local mode brings them along, with the operator or without.
      "--create-crd=false",
      `--listen-addr=${address}`,
    ],
    log: join(config.stateDir, "logs", "operator.log"),
    readyUrl: `http://${address}/readyz`,
  };
}
