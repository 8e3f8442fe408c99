import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BinariesError } from "../local/binaries/binaries-error.ts";
import { LocalModeError } from "../local/supervisor/local-mode-error.ts";
import { type RunningLocalMode, runLocalMode } from "../local/supervisor/run-local-mode.ts";
import { applyCrds } from "./apply-crds.ts";
import { localOperator } from "./local-operator.ts";
import { stopSignal } from "./stop-signal.ts";

interface Flags {
  readonly state: string;
  readonly port: number;
  readonly operator: boolean;
}

/** Brings local mode up, says what there is to try, and takes it down again on Ctrl-C. */
export async function up({ state, port, operator }: Flags): Promise<void> {
  const signal = stopSignal();
  const program = fileURLToPath(import.meta.url);
  try {
    await runLocalMode(
      {
        stateDir: state,
        port,
        partCommand: (part, configFile) => [process.execPath, program, "part", part, configFile],
        onServing: applyCrds,
        companions: async (config) => (operator ? [await localOperator(config)] : []),
        onReady: (running) => process.stdout.write(welcome(running)),
        log: (line) => process.stderr.write(`${line}\n`),
      },
      signal,
    );
  } catch (error) {
    if (!(error instanceof LocalModeError || error instanceof BinariesError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

function welcome({ config, pids }: RunningLocalMode): string {
  const processes = pids();
  const kubeconfig = shellWord(relative(process.cwd(), config.kubeconfig));
  return `
ready: a Kubernetes on this machine, for trying and testing, not for production

  kubeconfig  ${kubeconfig}
  API server  ${config.server}
  processes   ${Object.entries(processes)
    .map(([name, pid]) => `${name} (${pid})`)
    .join(", ")}
  logs        ${relative(process.cwd(), config.stateDir)}/logs

In another terminal:

  export KUBECONFIG=${kubeconfig}
${"operator" in processes ? WITH_OPERATOR : WITHOUT_OPERATOR}
Ctrl-C stops everything; the state stays for the next run, and make clean removes it.
`;
}

const WITH_OPERATOR = `\
  kubectl create -f example/example-etcd-cluster.yaml
  kubectl wait --for=condition=Available etcd/example-etcd-cluster --timeout=2m
  kubectl get etcd,pods,services
  kubectl explain etcdcluster.spec

The operator manages the EtcdClusters of the namespace default.
`;

const WITHOUT_OPERATOR = `\
  kubectl get nodes
  kubectl explain etcdcluster.spec

The operator was left out. To start one:

  bin/etcd-operator --namespace=default --listen-addr=127.0.0.1:8080
`;

function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
