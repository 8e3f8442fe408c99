import type { EnvVar } from "kubernetes-types/core/v1.d.ts";
import { ANNOTATIONS } from "../annotations.ts";

/** The flags by which etcd, on an empty directory, bootstraps a cluster, joins one, or ends. */
const FROM_ANNOTATIONS = [
  { flag: "--initial-cluster=", variable: "OPERATOR_INITIAL_CLUSTER", annotation: ANNOTATIONS.initialCluster },
  {
    flag: "--initial-cluster-state=",
    variable: "OPERATOR_INITIAL_CLUSTER_STATE",
    annotation: ANNOTATIONS.initialClusterState,
  },
] as const;

export interface ToldByAnnotations {
  /** The command with those flags taken from the variables. */
  readonly command: string[];
  readonly env: EnvVar[];
  readonly annotations: Record<string, string>;
}

/**
 * Moves the flags that matter on an empty directory into annotations of the pod. The command of a pod can never be
 * changed, and the guard does not run when a container restarts in its pod: a member that lost its disk would start
 * without data, with the same id and none of the writes that it has acknowledged. Values of annotations are read at
 * every start of a container.
 */
export function movedToAnnotations(command: readonly string[]): ToldByAnnotations {
  const valueIn = (flag: string) => command.find((each) => each.startsWith(flag))?.slice(flag.length) ?? "";
  return {
    command: command.map((each) => {
      const moved = FROM_ANNOTATIONS.find(({ flag }) => each.startsWith(flag));
      return moved ? `${moved.flag}$(${moved.variable})` : each;
    }),
    env: FROM_ANNOTATIONS.map(({ variable, annotation }) => ({
      name: variable,
      valueFrom: { fieldRef: { fieldPath: `metadata.annotations['${annotation}']` } },
    })),
    annotations: Object.fromEntries(FROM_ANNOTATIONS.map(({ flag, annotation }) => [annotation, valueIn(flag)])),
  };
}

/** The arguments of a member that has joined: no other member, so that it exits when its log is lost. */
export function initialClusterOfJoined(member: string, peerUrl: string): Record<string, string> {
  return { [ANNOTATIONS.initialCluster]: `${member}=${peerUrl}`, [ANNOTATIONS.initialClusterState]: "existing" };
}

/**
 * Whether its pod gives it that from its next start on; pods whose command does not read it get what
 * their command has.
 */
export function isToldOfItself(
  flags: readonly string[],
  annotations: Readonly<Record<string, string>>,
  member: string,
  peerUrl: string,
): boolean {
  const asks = FROM_ANNOTATIONS.some(({ flag, variable }) => flags.includes(`${flag}$(${variable})`));
  const wanted = Object.entries(initialClusterOfJoined(member, peerUrl));
  return !asks || wanted.every(([key, value]) => annotations[key] === value);
}
