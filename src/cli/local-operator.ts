import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { LocalConfig } from "../local/config.ts";
import { freePorts } from "../local/processes/free-ports.ts";
import type { Companion } from "../local/supervisor/run-local-mode.ts";

/** The operator as it runs anywhere else, beside a local mode: for the EtcdClusters of the namespace `default`. */
export async function localOperator({ stateDir, kubeconfig }: LocalConfig): Promise<Companion> {
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  return {
    name: "operator",
    file: process.execPath,
    args: [
      // As the first line of the program says; see scripts/build.ts.
      "--max-semi-space-size=2",
      fileURLToPath(new URL("../etcd-operator.mjs", import.meta.url)),
      `--kubeconfig=${kubeconfig}`,
      "--namespace=default",
      // They are there: local mode brings them along, with the operator or without.
      "--create-crd=false",
      `--listen-addr=${address}`,
    ],
    log: join(stateDir, "logs", "operator.log"),
    readyUrl: `http://${address}/readyz`,
  };
}
