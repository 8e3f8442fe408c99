import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BinariesError } from "../local/binaries/binaries-error.ts";
import { LocalModeError } from "../local/supervisor/local-mode-error.ts";
import { type RunningLocalMode, runLocalMode } from "../local/supervisor/run-local-mode.ts";
import { applyCrds } from "./apply-crds.ts";
import { stopSignal } from "./stop-signal.ts";

interface Flags {
  readonly state: string;
  readonly port: number;
}

/** Brings local mode up, says what there is to try, and takes it down again on Ctrl-C. */
export async function up({ state, port }: Flags): Promise<void> {
  const signal = stopSignal();
  const program = fileURLToPath(import.meta.url);
  try {
    await runLocalMode(
      {
        stateDir: state,
        port,
        partCommand: (part, configFile) => [process.execPath, program, "part", part, configFile],
        onServing: applyCrds,
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
  const processes = Object.entries(pids()).map(([name, pid]) => `${name} (${pid})`);
  const path = relative(process.cwd(), config.kubeconfig);
  const kubeconfig = /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
  return `
ready: a Kubernetes on this machine, for trying and testing, not for production

  kubeconfig  ${kubeconfig}
  API server  ${config.server}
  processes   ${processes.join(", ")}
  logs        ${relative(process.cwd(), config.stateDir)}/logs

In another terminal:

  export KUBECONFIG=${kubeconfig}
  kubectl get nodes
  kubectl explain etcdcluster.spec
  kubectl create -f example/example-etcd-cluster.yaml   (taken and shown; its members come with the controller)

Ctrl-C stops everything; the state stays for the next run, and make clean removes it.
`;
}
