import { dirname } from "node:path/posix";

/** One mount of a container's root, in the order in which they are made. */
export interface Mount {
  readonly type: "bind" | "proc" | "devpts" | "tmpfs";
  /** A path of the machine; the type's own name for what is no bind mount. */
  readonly source: string;
  /** A path in the container. */
  readonly target: string;
  readonly kind: "directory" | "file";
  readonly options?: readonly string[];
  /** Whether mount points may be made inside the source: only in folders of ours, never in the machine's. */
  readonly isOurs?: boolean;
  /** Whether the source is a path in the container, which an earlier mount has brought. */
  readonly isInContainer?: boolean;
}

/** A file or folder that has to exist before the mounts can be made; as a path of the machine. */
export interface MountPoint {
  readonly path: string;
  readonly kind: Mount["kind"];
}

/** The order in which mounts do not cover each other: outer ones first, later ones of the same place last. */
export function inMountOrder(mounts: readonly Mount[]): Mount[] {
  return mounts.toSorted((a, b) => depthOf(a.target) - depthOf(b.target));
}

/** Where the mounts go, seen from the machine: inside the source of the mount that covers the place, or in the root. */
export function mountPoints(root: string, mounts: readonly Mount[]): MountPoint[] {
  const covering: Mount[] = [];
  const points: MountPoint[] = [];
  for (const mount of mounts) {
    const path = placeOf(root, covering, mount.target);
    if (path !== undefined) points.push({ path, kind: mount.kind });
    covering.push(mount);
  }
  return points;
}

/** A container's path as a path of the machine; undefined where nothing may be made. */
export function placeOf(root: string, mounts: readonly Mount[], target: string): string | undefined {
  const cover = mounts
    .filter((mount) => isInside(target, mount.target))
    .reduce<Mount | undefined>(
      (best, mount) => (best && depthOf(best.target) > depthOf(mount.target) ? best : mount),
      undefined,
    );
  if (!cover) return `${root}${target}`;
  return cover.isOurs && cover.kind === "directory" ? `${cover.source}${target.slice(cover.target.length)}` : undefined;
}

/** The mounts as a table for mount(8), which makes all of them in one go. */
export function mountTable(root: string, mounts: readonly Mount[], isRootReadOnly: boolean): string {
  const self = [root, root, "none", isRootReadOnly ? "bind,ro" : "bind"];
  const rows = mounts.map(({ type, source, target, isInContainer, options = [] }) =>
    type === "bind"
      ? [isInContainer ? `${root}${source}` : source, `${root}${target}`, "none", ["bind", ...options].join(",")]
      : [source, `${root}${target}`, type, options.join(",") || "defaults"],
  );
  return [self, ...rows].map((row) => `${row.map(escaped).join(" ")} 0 0\n`).join("");
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

function depthOf(path: string): number {
  return path === "/" ? 0 : 1 + depthOf(dirname(path));
}

function escaped(field: string): string {
  return field.replace(/[\s\\#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`);
}
