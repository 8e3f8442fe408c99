import type { Stored } from "@etcd-operator/kubernetes-client";
import { containerEnv } from "@etcd-operator/local-kubernetes/kubelet/env/container-env.ts";
import { expand } from "@etcd-operator/local-kubernetes/kubelet/env/expand.ts";
import {
  POD_UID_VARIABLE,
  RESTORE_ONCE_VARIABLE,
  SNAPSHOT_VOLUME,
  TRANSFER_PORT,
} from "@etcd-operator/operator/transfer/names.ts";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import { Disk } from "../etcd/disk.ts";
import { etcdProgram } from "./etcd-program.ts";
import { guardOn } from "./guard-program.ts";
import { etcdIn } from "./images.ts";
import type { NodeContext } from "./node-context.ts";
import { finishedProgram, idleProgram, type Program } from "./program.ts";
import { restoreOn } from "./restore-programs.ts";

/** What a container has of its pod. */
export interface PodRun {
  readonly ip: string;
  readonly volumes: ReadonlyMap<string, Disk>;
}

/** Programs that lie in the operator's own image. */
const OURS = /^(etcd-guard|etcd-store-worker)$/;

/** Starts what a container's command means; undefined where its image has no such program. */
export function launchProgram(
  context: NodeContext,
  pod: Stored<Pod>,
  container: Container,
  run: PodRun,
): Program | undefined {
  const variables = variablesOf(pod, container, run.ip);
  const command = [...(container.command ?? []), ...(container.args ?? [])].map((word) => expand(word, variables));
  const name = (command[0] ?? "").split("/").at(-1) ?? "";
  const version = etcdIn(container.image ?? "");
  const isOfEtcd = name === "etcd" || name === "etcdctl" || name === "etcdutl";
  if (isOfEtcd ? !version : OURS.test(name) && version) return undefined;
  const data = diskFor(container, run, (volume) => volume !== SNAPSHOT_VOLUME);
  const snapshot = diskFor(container, run, (volume) => volume === SNAPSHOT_VOLUME);
  switch (name) {
    case "etcd":
      if (!version) return undefined;
      return etcdProgram(context.etcd, {
        ...{ pod: pod.metadata.name, ip: run.ip, host: hostOf(pod), version, command, variables, disk: data },
      });
    case "etcdctl":
    case "etcdutl":
      return finishedProgram(restoreOn(context.etcd, pod.metadata.name, command, { data, snapshot }));
    case "etcd-guard":
      return finishedProgram(guardOn(data, variables));
    case "etcd-store-worker":
      if (command[1] === "receive") return receiver(context, run, variables, { data, snapshot });
      return context.workers.serve(`${run.ip}:${TRANSFER_PORT}`);
    default:
      return idleProgram();
  }
}

function receiver(
  { receivers }: NodeContext,
  { ip }: PodRun,
  variables: ReadonlyMap<string, string>,
  disks: { readonly data: Disk; readonly snapshot: Disk },
): Program {
  const [podUid, once] = [POD_UID_VARIABLE, RESTORE_ONCE_VARIABLE].map((name) => variables.get(name) ?? "");
  return receivers.receive(`${ip}:${TRANSFER_PORT}`, { ...disks, podUid: podUid ?? "", once: once ?? "" });
}

function variablesOf(pod: Stored<Pod>, container: Container, ip: string): Map<string, string> {
  const nothing = { secrets: new Map(), configMaps: new Map(), machine: { cpu: 2, memoryBytes: 2 ** 32 } };
  return containerEnv(container, { pod, podIp: ip, hostIp: "10.0.0.1", ...nothing });
}

/** What a container does not mount, it has for itself alone. */
function diskFor({ volumeMounts = [] }: Container, { volumes }: PodRun, isMeant: (volume: string) => boolean): Disk {
  const mounted = volumeMounts.map(({ name }) => name).find((name) => isMeant(name) && volumes.has(name));
  return (mounted !== undefined ? volumes.get(mounted) : undefined) ?? new Disk("container");
}

/** The name under which a pod of a headless Service is found. */
function hostOf({ metadata, spec }: Stored<Pod>): string {
  const name = spec?.hostname ?? metadata.name;
  return spec?.subdomain ? `${name}.${spec.subdomain}.${metadata.namespace}.svc` : name;
}
