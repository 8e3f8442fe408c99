import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GuardedProcess } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import type { Workspace } from "./control-plane/workspace.ts";

interface OperatorOptions {
  /** What it is called in its log's name and in the Lease. */
  readonly name: string;
  readonly namespace: string;
  readonly kubeconfig: string;
  readonly args?: readonly string[];
}

/** An operator process as it was built, which logs everything. */
export interface OperatorOnKube extends GuardedProcess {
  readonly log: string;
  lines(): readonly LogLine[];
  has(msg: string): boolean;
}

export interface LogLine {
  readonly level: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** Starts dist/etcd-operator.mjs as a process that ends with the workspace. */
export function startOperator(workspace: Workspace, options: OperatorOptions): OperatorOnKube {
  const { name, namespace, kubeconfig, args = [] } = options;
  const label = `operator-${namespace}-${name}`;
  const flags = [
    "dist/etcd-operator.mjs",
    `--kubeconfig=${kubeconfig}`,
    `--namespace=${namespace}`,
    "--listen-addr=127.0.0.1:0",
    "--log-level=debug",
    ...args,
  ];
  const started = workspace.run(label, process.execPath, flags, { ...process.env, MY_POD_NAME: name });
  const log = join(workspace.directory, `${label}.log`);
  const lines = () =>
    readFileSync(log, "utf8")
      .split("\n")
      // The last one may still be being written.
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as LogLine);
  return { ...started, log, lines, has: (msg) => lines().some((line) => line.msg === msg) };
}
