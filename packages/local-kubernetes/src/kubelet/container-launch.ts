import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Container, Pod } from "kubernetes-types/core/v1.d.ts";
import type { Image } from "../images/image.ts";
import { containerEnv, type EnvSources, envReferences } from "./env/container-env.ts";
import { expand } from "./env/expand.ts";
import { etcFiles, hostnameOf } from "./etc-files.ts";
import { nthAddress } from "./ip-pool.ts";
import { KubeletError } from "./kubelet-error.ts";
import { parseLogLine } from "./logs/log-line.ts";
import type { NodeContext } from "./node-context.ts";
import type { Launch } from "./sandbox/container-process.ts";
import { identityOf } from "./sandbox/identity.ts";
import type { Mount } from "./sandbox/mount-plan.ts";
import { writeRootFolder } from "./sandbox/root-folder.ts";
import { readPodObjects } from "./volumes/pod-objects.ts";
import type { VolumeAt } from "./volumes/pod-volumes.ts";
import { containerPath, volumeMounts } from "./volumes/volume-mounts.ts";

/** What the containers of a pod share while it is set up. */
export interface PodRun {
  readonly sandboxPid: number;
  readonly podIp: string;
  readonly volumes: ReadonlyMap<string, VolumeAt>;
}

export interface LaunchRequest {
  readonly pod: Stored<Pod>;
  readonly container: Container;
  readonly image: Image;
  readonly run: PodRun;
  /** An empty folder for this run of the container. */
  readonly dir: string;
}

/** Resolves everything that a container's spec leaves open, and writes what its root needs. */
export async function prepareLaunch(context: NodeContext, request: LaunchRequest): Promise<Launch> {
  const { pod, container, image, run, dir } = request;
  const identity = identityOf(pod, container, image);
  const own = containerEnv(container, await envSources(context, request));
  const env = new Map([...Object.entries(image.env), ...givenEnv(context, pod, identity.uid), ...own]);
  const command = commandOf(container, image).map((word) => expand(word, env));
  if (command.length === 0) throw new KubeletError("invalid-pod", "no command specified");
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const workingDir = containerPath(container.workingDir || image.workingDir);
  const root = writeRootFolder({
    dir,
    layout: context.layout,
    image,
    volumes: [...volumeMounts(container, run.volumes), terminationLog(container, dir)],
    etc: etcFiles(pod, run.podIp, context.config, machineResolvConf()),
    workingDir,
    isReadOnly: container.securityContext?.readOnlyRootFilesystem === true,
  });
  return { root, env, workingDir, command, identity };
}

/** The last words of a container, which it wrote where its spec says. */
export function terminationMessage(
  container: Container,
  dir: string,
  exitCode: number,
  log: string,
): string | undefined {
  const written = readEnd(join(dir, "termination-log"), 4_096);
  const isFallback = container.terminationMessagePolicy === "FallbackToLogsOnError" && exitCode !== 0;
  return written || (isFallback ? endOfLog(log) : "") || undefined;
}

/** What the container printed, without what the runtime writes before each line: as much of it as a kubelet takes. */
function endOfLog(log: string): string {
  const lines = readEnd(log, 1024 * 1024).split("\n");
  const texts = lines.flatMap((line) => parseLogLine(line)?.text ?? []);
  return Buffer.from(
    texts
      .slice(-80)
      .map((text) => `${text}\n`)
      .join(""),
  )
    .subarray(-2_048)
    .toString();
}

function commandOf({ command, args }: Container, image: Image): readonly string[] {
  if (command && command.length > 0) return [...command, ...(args ?? [])];
  return [...image.entrypoint, ...(args && args.length > 0 ? args : image.cmd)];
}

async function envSources(context: NodeContext, { pod, container, run }: LaunchRequest): Promise<EnvSources> {
  const names = envReferences(container);
  const objects = await readPodObjects(context.client, pod.metadata.namespace ?? "", names);
  const texts = (
    [name, { data = {} }]: readonly [string, { data?: Record<string, string> }],
    encoding: BufferEncoding,
  ) =>
    [
      name,
      Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding).toString()])),
    ] as const;
  return {
    pod,
    podIp: run.podIp,
    hostIp: context.config.nodeIp,
    machine: context.machine,
    secrets: new Map([...objects.secrets].map((entry) => texts(entry, "base64"))),
    configMaps: new Map([...objects.configMaps].map((entry) => texts(entry, "utf8"))),
  };
}

function givenEnv({ config }: NodeContext, pod: Pod, uid: number): [string, string][] {
  return [
    ["HOSTNAME", hostnameOf(pod)],
    ["HOME", uid === 0 ? "/root" : "/"],
    ["KUBERNETES_SERVICE_HOST", nthAddress(config.serviceCidr, 1)],
    ["KUBERNETES_SERVICE_PORT", "443"],
    ["KUBERNETES_SERVICE_PORT_HTTPS", "443"],
  ];
}

function terminationLog({ terminationMessagePath = "/dev/termination-log" }: Container, dir: string): Mount {
  const source = join(dir, "termination-log");
  writeFileSync(source, "");
  chmodSync(source, 0o666);
  return { type: "bind", source, target: containerPath(terminationMessagePath), kind: "file" };
}

function machineResolvConf(): string {
  try {
    return readFileSync("/etc/resolv.conf", "utf8");
  } catch {
    return "";
  }
}

function readEnd(file: string, maxBytes: number): string {
  try {
    return readFileSync(file).subarray(-maxBytes).toString();
  } catch {
    return "";
  }
}
