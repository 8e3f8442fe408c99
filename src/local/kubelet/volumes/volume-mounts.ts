import { chmodSync, chownSync, existsSync, mkdirSync, realpathSync, statSync } from "node:fs";
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
    const target = normalize(`/${wanted.mountPath}`).replace(/(.)\/$/, "$1");
    return { type: "bind", source, target, kind, options, isOurs: true };
  });
}

function sourceOf({ subPath, subPathExpr }: VolumeMount, volume: VolumeAt, env: ReadonlyMap<string, string>): string {
  const wanted = subPathExpr === undefined ? subPath : expand(subPathExpr, env);
  if (!wanted) return volume.source;
  if (wanted.startsWith("/") || wanted.split("/").includes("..")) {
    throw new KubeletError("invalid-pod", `subPath "${wanted}" leads out of its volume`);
  }
  const source = join(volume.source, wanted);
  if (existsSync(source)) return realpathSync(source);
  if (volume.isReadOnly) throw new KubeletError("missing-object", `there is no "${wanted}" in the volume`);
  // Whoever may use the volume may use its folders.
  const { mode, uid, gid } = statSync(volume.source);
  mkdirSync(source, { recursive: true });
  chownSync(source, uid, gid);
  chmodSync(source, mode & 0o7777);
  return source;
}
