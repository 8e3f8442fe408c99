import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import type { Mount } from "./mount-plan.ts";

/** What every container sees of the machine: its programs and libraries, read-only. */
export interface MachineLayout {
  readonly links: readonly { readonly path: string; readonly to: string }[];
  readonly mounts: readonly Mount[];
}

const programs = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const settings = ["/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/alternatives", "/etc/ld.so.cache"];
const devices = ["null", "zero", "full", "random", "urandom", "tty"];

/** Looks at the machine once; it does not change while we run. */
export function machineLayout(): MachineLayout {
  const present = programs.filter((path) => existsSync(path));
  const [links, folders] = [present.filter(isLink), present.filter((path) => !isLink(path))];
  return {
    // Absolute links would lead out of the new root while it is being set up, so only the name in /usr is taken.
    links: links.map((path) => ({ path, to: `usr/${basename(readlinkSync(path))}` })),
    mounts: [
      ...["/usr", ...folders].map(readOnly),
      { type: "proc", source: "proc", target: "/proc", kind: "directory", options: ["nosuid", "nodev", "noexec"] },
      // A pod's root is the machine's root, so what would change or show the whole kernel is closed to it.
      ...["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs"].filter(exists).map(frozen),
      ...["/proc/kcore", "/proc/keys", "/proc/timer_list"].filter(exists).map(hidden),
      ...devices.map((name) => device(`/dev/${name}`)),
      { type: "devpts", source: "devpts", target: "/dev/pts", kind: "directory", options: ptsOptions },
      {
        type: "tmpfs",
        source: "shm",
        target: "/dev/shm",
        kind: "directory",
        options: ["nosuid", "nodev", "mode=1777"],
      },
      ...settings.filter((path) => existsSync(path)).map(readOnly),
    ],
  };
}

const ptsOptions = ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620"];

function readOnly(path: string): Mount {
  const kind = lstatSync(path).isDirectory() ? "directory" : "file";
  return { type: "bind", source: path, target: path, kind, options: ["ro"] };
}

function frozen(path: string): Mount {
  return { ...readOnly(path), isInContainer: true };
}

function hidden(path: string): Mount {
  return { type: "bind", source: "/dev/null", target: path, kind: "file" };
}

function exists(path: string): boolean {
  return existsSync(path);
}

function device(path: string): Mount {
  return { type: "bind", source: path, target: path, kind: "file" };
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}
