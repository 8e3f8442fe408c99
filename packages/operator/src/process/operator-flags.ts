import { LOG_LEVELS, type LogLevel } from "@etcd-operator/controller-runtime";
import { describeGoFlags, type FlagDefinitions, parseGoFlags } from "./go-flags.ts";

export type ProgramName = "etcd-operator" | "etcd-backup-operator" | "etcd-restore-operator";

export interface OperatorFlags {
  readonly listenAddr: string;
  readonly createCrd: boolean;
  readonly clusterWide: boolean;
  /** -1 is none; the other programs do not have it. */
  readonly chaosLevel: number;
  /** Our own image, which provides the guard of members; when absent, that of the operator's pod is used. */
  readonly guardImage: string | undefined;
  /** Names of Secrets that pods of that image are pulled with, in the namespaces of their objects. */
  readonly imagePullSecrets: readonly string[];
  /**
   * Namespaces whose objects may use the operator's own identity and place in the network, beside its own namespace;
   * "*" is all.
   */
  readonly trustedNamespaces: readonly string[];
  readonly allowLoopbackEndpoints: boolean;
  /** From --namespace or MY_POD_NAMESPACE; when absent, the connection knows. */
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly logLevel: LogLevel;
  readonly version: boolean;
  readonly help: boolean;
}

/** Of the three programs of old; the rest is ours, or had to be added so that a cluster-wide backup is possible. */
const SHARED = {
  "listen-addr": {
    type: "string",
    initial: "0.0.0.0:8080",
    help: "Address of /metrics, /healthz and /readyz.",
  },
  "create-crd": {
    type: "boolean",
    initial: true,
    help: "Create the CRDs, or update older ones. With false, wait for them.",
  },
  "cluster-wide": {
    type: "boolean",
    initial: false,
    help: "Manage the objects of all namespaces that are annotated etcd.database.coreos.com/scope: clusterwide.",
  },
  namespace: {
    type: "string",
    initial: undefined,
    help: "Namespace to manage; $MY_POD_NAMESPACE, else the namespace of the kubeconfig's context, else default.",
  },
  kubeconfig: {
    type: "string",
    initial: undefined,
    help: "Path of the kubeconfig; $KUBECONFIG, else the pod's ServiceAccount, else ~/.kube/config.",
  },
  "image-pull-secrets": {
    type: "string",
    initial: undefined,
    help: "Image pull Secrets for worker and drill pods, separated by commas; $ETCD_OPERATOR_IMAGE_PULL_SECRETS.",
  },
  "trusted-namespaces": {
    type: "string",
    initial: undefined,
    help: "Namespaces (comma-separated, * for all) whose backups and restores may use the operator's cloud identity, and endpoints elsewhere without a certificate. The operator's own namespace is always trusted.",
  },
  "allow-loopback-endpoints": {
    type: "boolean",
    initial: false,
    help: "Allow endpoints on the operator's own machine in backups and restores, as in local mode or with a gateway in its pod.",
  },
  "log-level": { type: "string", initial: "info", oneOf: LOG_LEVELS, help: `One of ${LOG_LEVELS.join(", ")}.` },
  version: { type: "boolean", initial: false, help: "Print the version and exit." },
  help: { type: "boolean", initial: false, help: "Print this text and exit." },
} as const satisfies FlagDefinitions;

const NO_CHAOS = -1;

const ALL = {
  ...SHARED,
  "chaos-level": {
    type: "integer",
    initial: NO_CHAOS,
    help: "Kill pods at random, for testing: 1 kills one, 2 up to five, about every 30 s. -1 is off.",
  },
  "guard-image": {
    type: "string",
    initial: undefined,
    help: "Image of this operator, which provides the guard of members; $ETCD_OPERATOR_IMAGE, else the image of its pod.",
  },
  "gc-interval": {
    type: "duration",
    initial: 600_000,
    shown: "10m",
    help: "No effect: Kubernetes garbage-collects the objects of a deleted cluster.",
  },
} as const satisfies FlagDefinitions;

/** Reads a program's flags and the environment. */
export function parseOperatorFlags(
  program: ProgramName,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): OperatorFlags {
  const spelledOut = args.map((arg) => (arg === "-h" ? "--help" : arg));
  const values =
    program === "etcd-operator"
      ? parseGoFlags(program, ALL, spelledOut)
      : { ...parseGoFlags(program, SHARED, spelledOut), "chaos-level": NO_CHAOS, "guard-image": undefined };
  return {
    listenAddr: values["listen-addr"],
    createCrd: values["create-crd"],
    clusterWide: values["cluster-wide"],
    chaosLevel: values["chaos-level"],
    guardImage: values["guard-image"] || env.ETCD_OPERATOR_IMAGE || undefined,
    imagePullSecrets: namesIn(values["image-pull-secrets"] || env.ETCD_OPERATOR_IMAGE_PULL_SECRETS || ""),
    trustedNamespaces: namesIn(values["trusted-namespaces"] ?? ""),
    allowLoopbackEndpoints: values["allow-loopback-endpoints"],
    namespace: values.namespace || env.MY_POD_NAMESPACE || undefined,
    kubeconfig: values.kubeconfig || undefined,
    // Checked against the list.
    logLevel: values["log-level"] as LogLevel,
    version: values.version,
    help: values.help,
  };
}

function namesIn(list: string): string[] {
  return list.split(/[\s,]+/).filter((name) => name !== "");
}

/** The flags that a program takes, without dashes. */
export function flagNames(program: ProgramName): readonly string[] {
  return Object.keys(program === "etcd-operator" ? ALL : SHARED);
}

/** The text of --help. */
export function operatorHelp(program: ProgramName): string {
  const flags = describeGoFlags(program === "etcd-operator" ? ALL : SHARED);
  return `Usage: ${program} [flags]\n\nFlags, with one dash or two:\n${flags}`;
}
