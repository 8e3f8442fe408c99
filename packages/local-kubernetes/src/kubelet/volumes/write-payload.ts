import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PayloadFile } from "./payload.ts";

const current = "..data";

/**
 * Makes a folder hold exactly these files, all at once: the names are links into "..data", itself a link that is
 * swapped, so that a reader never sees a mixture of old and new. Returns whether anything changed.
 */
export function writePayload(dir: string, files: readonly PayloadFile[], now: Date, fsGroup?: number): boolean {
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  const last = currentFolder(dir);
  const isKept = last !== undefined && holds(join(dir, last), files, fsGroup);
  const folder = isKept ? last : swapIn(dir, files, now, fsGroup);
  // Also when nothing changed: a kubelet that was killed may have come this far and no further.
  linkNames(dir, files);
  removeOthers(dir, folder);
  return !isKept;
}

function currentFolder(dir: string): string | undefined {
  try {
    return readlinkSync(join(dir, current));
  } catch {
    return undefined;
  }
}

function holds(folder: string, files: readonly PayloadFile[], fsGroup: number | undefined): boolean {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
      statSync(join(folder, name)).isFile(),
    );
    return (
      names.length === files.length &&
      files.every(({ path, content, mode }) => {
        const at = join(folder, path);
        return readFileSync(at).equals(content) && (statSync(at).mode & 0o777) === modeFor(mode, fsGroup);
      })
    );
  } catch {
    return false;
  }
}

/** Returns the name of the new folder. */
function swapIn(dir: string, files: readonly PayloadFile[], now: Date, fsGroup: number | undefined): string {
  const fresh = basename(mkdtempSync(join(dir, `..${now.toISOString().replace(/[-:TZ.]/g, "_")}.`)));
  chmodSync(join(dir, fresh), 0o755);
  for (const file of files) writeFile(join(dir, fresh), file, fsGroup);
  const link = join(dir, "..data_tmp");
  // Left by a kubelet that was killed before it could swap.
  rmSync(link, { force: true });
  symlinkSync(fresh, link);
  renameSync(link, join(dir, current));
  return fresh;
}

function writeFile(folder: string, { path, content, mode }: PayloadFile, fsGroup: number | undefined): void {
  const at = join(folder, path);
  mkdirSync(dirname(at), { recursive: true, mode: 0o755 });
  writeFileSync(at, content);
  if (fsGroup !== undefined) chownSync(at, 0, fsGroup);
  chmodSync(at, modeFor(mode, fsGroup));
}

// A pod that asks for a group on its volumes can read them through it.
function modeFor(mode: number, fsGroup: number | undefined): number {
  return fsGroup === undefined ? mode : mode | 0o440;
}

function linkNames(dir: string, files: readonly PayloadFile[]): void {
  const wanted = new Set(files.map(({ path }) => path.split("/")[0] ?? ""));
  for (const name of readdirSync(dir)) {
    if (!name.startsWith("..") && !wanted.delete(name)) rmSync(join(dir, name), { force: true });
  }
  for (const name of wanted) symlinkSync(join(current, name), join(dir, name));
}

/** The previous folder, and what killed kubelets left in between; files of the user do not begin so. */
function removeOthers(dir: string, folder: string): void {
  for (const name of readdirSync(dir)) {
    if (!name.startsWith("..") || name === current || name === folder) continue;
    rmSync(join(dir, name), { recursive: true, force: true });
  }
}
