import { relative } from "node:path";
import { hasCode, type KubeClient, resources } from "@etcd-operator/kubernetes-client";
import {
  BinariesError,
  LocalModeError,
  type RunningLocalMode,
  runLocalMode,
  stopSignal,
  type UpFlags,
} from "@etcd-operator/local-kubernetes";
import { customResourceDefinition, type Kind, kinds } from "@etcd-operator/operator";
import { localOperator } from "./operator-beside.ts";

/** What of ours runs: everything, our CRDs alone, or nothing, for those who deploy the operator as on any cluster. */
export const OPERATOR_CHOICES = ["true", "false", "none"] as const;
export type OperatorChoice = (typeof OPERATOR_CHOICES)[number];

export interface Flags extends UpFlags {
  readonly operator: OperatorChoice;
}

/**
 * Brings local mode up, says what there is to try, and takes it down again on Ctrl-C. `program` is started again for
 * each part.
 */
export async function up(program: string, { state, port, operator, nodes, nodeGrace }: Flags): Promise<void> {
  const signal = stopSignal();
  try {
    await runLocalMode(
      {
        stateDir: state,
        port,
        nodes,
        nodeGraceMs: nodeGrace * 1000,
        partCommand: (...part) => [process.execPath, program, "part", ...part],
        ...(operator !== "none" && { onServing: applyCrds }),
        companions: async (config) => (operator === "true" ? [await localOperator(config)] : []),
        onReady: (running) => process.stdout.write(welcome(running, operator)),
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

function welcome({ config, pids }: RunningLocalMode, operator: OperatorChoice): string {
  const processes = pids();
  const kubeconfig = shellWord(relative(process.cwd(), config.kubeconfig));
  return `
ready: a Kubernetes on this machine, for trying and testing, not for production

  kubeconfig  ${kubeconfig}
  API server  ${config.server}
  processes   ${Object.entries(processes)
    .map(([name, pid]) => `${name} (${pid ?? "switched off"})`)
    .join(", ")}
  logs        ${relative(process.cwd(), config.stateDir)}/logs

In another terminal:

  export KUBECONFIG=${kubeconfig}
${NEXT_STEPS[operator]}
Ctrl-C stops everything; the state stays for the next run, and make clean removes it.
`;
}

const WITH_OPERATOR = `\
  kubectl apply -f example/example-etcd-cluster.yaml
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

const WITHOUT_ANYTHING = `\
  kubectl get nodes

Nothing of ours is deployed. As on any other cluster:

  example/rbac/create_role.sh
  kubectl apply -f example/deployment.yaml
  kubectl apply -f example/example-etcd-cluster.yaml
`;

const NEXT_STEPS: Readonly<Record<OperatorChoice, string>> = {
  true: WITH_OPERATOR,
  false: WITHOUT_OPERATOR,
  none: WITHOUT_ANYTHING,
};

function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Brings the CRDs of this build to a local mode, whatever was there before. */
async function applyCrds(client: KubeClient): Promise<void> {
  for (const kind of Object.values<Kind>(kinds)) {
    const definition = customResourceDefinition(kind);
    try {
      await client.create(resources.customResourceDefinitions, definition);
    } catch (error) {
      if (!hasCode(error, "already-exists")) throw error;
      const ref = { name: definition.metadata?.name ?? "" };
      await client.patch(resources.customResourceDefinitions, ref, { merge: definition });
    }
  }
}
