import { LOG_LEVELS, type LogLevel } from "@etcd-operator/controller-runtime";
import { describeGoFlags, type FlagDefinitions, parseGoFlags } from "./go-flags.ts";

export type ProgramName = "etcd-operator" | "etcd-backup-operator" | "etcd-restore-operator";

export interface OperatorFlags {
  readonly listenAddr: string;
  readonly createCrd: boolean;
  readonly clusterWide: boolean;
  /** -1 is none; the other programs have none. */
  readonly chaosLevel: number;
  /** Our own image, from which members get their guard; where it is absent, the operator's pod says it. */
  readonly guardImage: string | undefined;
  /** Names of Secrets that pods of that image are pulled with, in the namespaces of their objects. */
  readonly imagePullSecrets: readonly string[];
  /** Whose objects may use the operator's own identity and place in the network, beside those of its own namespace; "*" is all. */
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
    help: "Where /metrics, /healthz and /readyz are served.",
  },
  "create-crd": {
    type: "boolean",
    initial: true,
    help: "Create the CRDs, or bring older ones up to date. With false, wait for them.",
  },
  "cluster-wide": {
    type: "boolean",
    initial: false,
    help: "Manage the objects of all namespaces that are annotated etcd.database.coreos.com/scope: clusterwide.",
  },
  namespace: {
    type: "string",
    initial: undefined,
    help: "Whose objects to manage; $MY_POD_NAMESPACE, else that of the kubeconfig's context, else default.",
  },
  kubeconfig: {
    type: "string",
    initial: undefined,
    help: "How to reach the API server; $KUBECONFIG, else the pod's ServiceAccount, else ~/.kube/config.",
  },
  "image-pull-secrets": {
    type: "string",
    initial: undefined,
    help: "Secrets to pull this operator's image with, separated by commas, where it works on volumes and drills; $ETCD_OPERATOR_IMAGE_PULL_SECRETS.",
  },
  "trusted-namespaces": {
    type: "string",
    initial: undefined,
    help: "Namespaces, separated by commas, or * for all, whose backups and restores may use the operator's own cloud identity, and etcd elsewhere without a certificate. Its own always is one.",
  },
  "allow-loopback-endpoints": {
    type: "boolean",
    initial: false,
    help: "Let backups and restores name endpoints on the operator's own machine, as in local mode or with a gateway in its pod.",
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
    help: "Kill pods for the sake of testing: 1 kills one, 2 up to five, every 30 s or so. -1 is off.",
  },
  "guard-image": {
    type: "string",
    initial: undefined,
    help: "Image of this operator, from which members get their guard; $ETCD_OPERATOR_IMAGE, else the image of the own pod.",
  },
  "gc-interval": {
    type: "duration",
    initial: 600_000,
    shown: "10m",
    help: "Without effect: Kubernetes collects what belongs to a deleted cluster.",
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
