import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from "node:fs";
import { join, normalize } from "node:path";
import type { Container, VolumeMount } from "kubernetes-types/core/v1.d.ts";
import { expand } from "../env/expand.ts";
import { KubeletError } from "../kubelet-error.ts";
import type { Mount } from "../sandbox/mount-plan.ts";
import type { VolumeAt } from "./pod-volumes.ts";

/** Where a container sees the volumes of its pod. */
export function volumeMounts(
  container: Container,
  volumes: ReadonlyMap<string, VolumeAt>,
  env: ReadonlyMap<string, string>,
): Mount[] {
  return (container.volumeMounts ?? []).map((wanted) => {
    const volume = volumes.get(wanted.name);
    if (!volume) throw new KubeletError("invalid-pod", `there is no volume "${wanted.name}"`);
    const source = sourceOf(wanted, volume, env);
    const kind = statSync(source).isDirectory() ? "directory" : "file";
    const options = wanted.readOnly || volume.isReadOnly ? ["ro"] : [];
    return { type: "bind", source, target: containerPath(wanted.mountPath), kind, options, isOurs: true };
  });
}

/** A path as the container means it: from its own root, however many ".." it has. */
export function containerPath(path: string): string {
  return normalize(`/${path}`).replace(/(.)\/$/, "$1");
}

function sourceOf({ subPath, subPathExpr }: VolumeMount, volume: VolumeAt, env: ReadonlyMap<string, string>): string {
  const wanted = subPathExpr === undefined ? subPath : expand(subPathExpr, env);
  if (!wanted) return volume.source;
  if (wanted.startsWith("/") || wanted.split("/").includes("..")) {
    throw new KubeletError("invalid-pod", `subPath "${wanted}" leads out of its volume`);
  }
  const source = insideOf(volume.source, wanted);
  if (existsSync(source)) return source;
  if (volume.isReadOnly) throw new KubeletError("missing-object", `there is no "${wanted}" in the volume`);
  // Whoever may use the volume may use its folders.
  const { mode, uid, gid } = statSync(volume.source);
  mkdirSync(source, { recursive: true });
  chownSync(source, uid, gid);
  chmodSync(source, mode & 0o7777);
  return source;
}

/** The real place of a path in a volume. A pod may put links into its volume, and none of them may lead out of it. */
function insideOf(volume: string, wanted: string): string {
  const root = realpathSync(volume);
  let place = root;
  for (const part of wanted.split("/").filter((name) => name !== "" && name !== ".")) {
    const next = join(place, part);
    // What does not exist yet holds no links either.
    place = existsSync(next) || isLink(next) ? realpathOrFail(next, wanted) : next;
    if (place !== root && !place.startsWith(`${root}/`)) {
      throw new KubeletError("invalid-pod", `subPath "${wanted}" leads out of its volume`);
    }
  }
  return place;
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function realpathOrFail(path: string, wanted: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new KubeletError("invalid-pod", `subPath "${wanted}" has a link that leads nowhere`, { cause });
  }
}
