import { join } from "node:path";
import type { Companion, LocalConfig } from "@etcd-operator/local-kubernetes";
import { freePorts, repositoryRoot } from "@etcd-operator/local-kubernetes";
import { NODE_FLAGS } from "@etcd-operator/operator";
import { NAMESPACE, operatorAccount } from "./operator-account.ts";

/**
 * The operator as it runs anywhere else, with the rights it has anywhere else: for the EtcdClusters of the namespace
 * `default`.
 */
export async function localOperator(config: LocalConfig): Promise<Companion> {
  const [[port], kubeconfig] = await Promise.all([freePorts(1), operatorAccount(config)]);
  const address = `127.0.0.1:${port}`;
  return {
    name: "operator",
    file: process.execPath,
    args: [
      // As the first line of the program says.
      ...NODE_FLAGS,
      join(repositoryRoot() ?? ".", "dist/etcd-operator.mjs"),
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
