import { statSync } from "node:fs";
import { normalize } from "node:path";
import type { Container } from "kubernetes-types/core/v1.d.ts";
import { KubeletError } from "../kubelet-error.ts";
import type { Mount } from "../sandbox/mount-plan.ts";
import type { VolumeAt } from "./pod-volumes.ts";

/** Where a container sees the volumes of its pod. */
export function volumeMounts(container: Container, volumes: ReadonlyMap<string, VolumeAt>): Mount[] {
  return (container.volumeMounts ?? []).map((wanted) => {
    const volume = volumes.get(wanted.name);
    if (!volume) throw new KubeletError("invalid-pod", `there is no volume "${wanted.name}"`);
    if (wanted.subPath || wanted.subPathExpr) {
      throw new KubeletError(
        "invalid-pod",
        `the mount of "${wanted.name}" has a subPath, which local mode does not have`,
      );
    }
    const { source } = volume;
    const kind = statSync(source).isDirectory() ? "directory" : "file";
    const options = wanted.readOnly || volume.isReadOnly ? ["ro"] : [];
    return { type: "bind", source, target: containerPath(wanted.mountPath), kind, options, isOurs: true };
  });
}

/** A path as the container means it: from its own root, however many ".." it has. */
export function containerPath(path: string): string {
  return normalize(`/${path}`).replace(/(.)\/$/, "$1");
}
