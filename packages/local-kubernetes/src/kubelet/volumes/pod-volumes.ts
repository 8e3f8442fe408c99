import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { chmod, lchown, lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { HostPathVolumeSource, PersistentVolume, Pod, Volume } from "kubernetes-types/core/v1.d.ts";
import { KubeletError, type KubeletErrorCode, systemMessageOf } from "../kubelet-error.ts";
import type { NodeContext } from "../node-context.ts";
import { type PodPaths, podPaths } from "../pod-paths.ts";
import type { PayloadSources } from "./payload.ts";
import { readPodObjects } from "./pod-objects.ts";
import { payloadReferences, volumePayload } from "./volume-payload.ts";
import { writePayload } from "./write-payload.ts";

/** A pod's volume on this machine. */
export interface VolumeAt {
  readonly source: string;
  /** Content of the API is never written to by pods. */
  readonly isPayload: boolean;
  readonly isReadOnly: boolean;
}

/** Makes every volume of a pod be there, with its content; also brings content from the API up to date. */
export async function prepareVolumes(
  context: NodeContext,
  pod: Stored<Pod>,
  podIp: string,
): Promise<Map<string, VolumeAt>> {
  const volumes = pod.spec?.volumes ?? [];
  const sources = await payloadSources(context, pod, podIp);
  const paths = podPaths(context.config.stateDir, pod.metadata.uid);
  const places = await Promise.all(
    volumes.map(async (volume) => [volume.name, await prepared(context, pod, volume, sources, paths)] as const),
  );
  return new Map(places);
}

async function payloadSources(context: NodeContext, pod: Stored<Pod>, podIp: string): Promise<PayloadSources> {
  const names = payloadReferences(pod.spec?.volumes ?? []);
  const [objects, tokens] = await Promise.all([
    readPodObjects(context.client, pod.metadata.namespace ?? "", names),
    Promise.all(
      [...names.tokens].map(
        async ([key, wish]) => [key, await context.tokens.tokenFor(pod, wish).catch(asError)] as const,
      ),
    ),
  ]);
  const hostIp = context.config.nodeIp;
  return { ...objects, pod, podIp, hostIp, machine: context.machine, tokens: new Map(tokens) };
}

// Told together with the volume that needs the token.
function asError(error: unknown): KubeletError {
  if (error instanceof KubeletError) return error;
  throw error;
}

async function prepared(
  context: NodeContext,
  pod: Stored<Pod>,
  volume: Volume,
  sources: PayloadSources,
  paths: PodPaths,
): Promise<VolumeAt> {
  try {
    return await place(context, pod, volume, sources, paths);
  } catch (error) {
    const [code, why] = refusalOf(error);
    const message = `MountVolume.SetUp failed for volume "${volume.name}" : ${why}`;
    throw new KubeletError(code, message, { cause: error });
  }
}

function refusalOf(error: unknown): [KubeletErrorCode, string] {
  if (error instanceof KubeletError) return [error.code, error.message];
  const why = systemMessageOf(error);
  if (why === undefined) throw error;
  return ["set-up-failed", why];
}

async function place(
  context: NodeContext,
  pod: Stored<Pod>,
  volume: Volume,
  sources: PayloadSources,
  paths: PodPaths,
): Promise<VolumeAt> {
  const { fsGroup, fsGroupChangePolicy } = pod.spec?.securityContext ?? {};
  const dir = paths.volume(volume.name);
  const payload = volumePayload(volume, sources);
  if (payload) {
    writePayload(dir, payload, new Date(context.clock.now()), fsGroup);
    return { source: dir, isPayload: true, isReadOnly: true };
  }
  if (volume.hostPath) return plain(hostPath(volume.hostPath));
  const claim =
    volume.persistentVolumeClaim ?? (volume.ephemeral && { claimName: `${pod.metadata.name}-${volume.name}` });
  if (claim) {
    const source = await claimFolder(context, pod.metadata.namespace ?? "", claim.claimName);
    if (fsGroup !== undefined) await giveToGroup(source, fsGroup, fsGroupChangePolicy === "OnRootMismatch");
    return { ...plain(source), isReadOnly: "readOnly" in claim && claim.readOnly === true };
  }
  if (volume.emptyDir) return plain(emptyDir(dir, fsGroup));
  throw new KubeletError(
    "invalid-pod",
    `local mode has no volumes of the kind ${Object.keys(volume).filter((key) => key !== "name")}`,
  );
}

function plain(source: string): VolumeAt {
  return { source, isPayload: false, isReadOnly: false };
}

function emptyDir(dir: string, fsGroup: number | undefined): string {
  if (existsSync(dir)) return dir;
  mkdirSync(dir, { recursive: true });
  if (fsGroup !== undefined) chownSync(dir, 0, fsGroup);
  chmodSync(dir, fsGroup === undefined ? 0o777 : 0o2777);
  return dir;
}

function hostPath({ path, type }: HostPathVolumeSource): string {
  if (type === "FileOrCreate" && !existsSync(path)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
  } else if ((type === "DirectoryOrCreate" || !type) && !existsSync(path)) mkdirSync(path, { recursive: true });
  const isThere = existsSync(path);
  if (
    !isThere ||
    (type === "Directory" && !statSync(path).isDirectory()) ||
    (type === "File" && !statSync(path).isFile())
  ) {
    throw new KubeletError("missing-object", `hostPath type check failed: ${path} is not a ${type?.toLowerCase()}`);
  }
  return path;
}

async function claimFolder({ client }: NodeContext, namespace: string, name: string): Promise<string> {
  const claim = await client.get(resources.persistentVolumeClaims, { namespace, name }).catch(notFound);
  if (!claim) throw new KubeletError("missing-object", `persistentvolumeclaim "${name}" not found`);
  const volumeName = claim.status?.phase === "Bound" ? claim.spec?.volumeName : undefined;
  if (!volumeName) throw new KubeletError("missing-object", `persistentvolumeclaim "${name}" is not bound`);
  const volume = await client.get(resources.persistentVolumes, { name: volumeName }).catch(notFound);
  if (!volume) throw new KubeletError("missing-object", `persistentvolume "${volumeName}" not found`);
  return volumeFolder(volume);
}

// Never made here: an empty folder in the place of a lost one would pass for the data.
function volumeFolder({ spec, metadata }: PersistentVolume): string {
  if (spec?.hostPath?.type === "DirectoryOrCreate") return hostPath(spec.hostPath);
  const path = spec?.hostPath?.path ?? spec?.local?.path;
  if (path !== undefined && existsSync(path)) return path;
  throw new KubeletError(
    "missing-object",
    `persistentvolume "${metadata?.name}": there is no folder ${path ?? "in its spec"}`,
  );
}

function notFound(error: unknown): undefined {
  if (!hasCode(error, "not-found")) throw error;
}

/** Gives a folder and everything in it to a group that may write, and new files of it too. */
async function giveToGroup(path: string, group: number, isOnlyOnMismatch: boolean): Promise<void> {
  const { gid, mode } = await lstat(path);
  if (isOnlyOnMismatch && gid === group && (mode & 0o2070) === 0o2070) return;
  await give(path, group);
}

async function give(path: string, group: number): Promise<void> {
  const found = await lstat(path);
  if (found.gid !== group) await lchown(path, found.uid, group);
  if (found.isSymbolicLink()) return;
  const wanted = (found.mode & 0o7777) | (found.isDirectory() ? 0o2770 : 0o660);
  if (wanted !== (found.mode & 0o7777)) await chmod(path, wanted);
  if (!found.isDirectory()) return;
  for (const name of await readdir(path)) await give(join(path, name), group);
}
