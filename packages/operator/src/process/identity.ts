import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** The identity of this process in a Lease, and what it knows about other holders. */
export interface Identity {
  /** The pod, or else the machine. */
  readonly name: string;
  /** Never the same for two processes. */
  readonly holder: string;
  /** Whether the process with that identity has certainly ended; false where that cannot be known. */
  hasEnded(holder: string): boolean;
}

/** A process whose end others can check. */
interface Whereabouts {
  /** Identifies a container of one pod, or the boot of one machine. */
  readonly place: string;
  /** Whether the place has one main process at a time. */
  readonly isContainer: boolean;
  readonly pidNamespace: string;
  readonly pid: number;
  /** With the pid it names one process in the life of a machine. */
  readonly startTime: string;
}

const HOLDER = /_([0-9a-f]{16})\.(\d+)\.(\d+)\.(\d+)_[0-9a-f]{10}$/;

export function processIdentity(env: NodeJS.ProcessEnv = process.env): Identity {
  const name = env.MY_POD_NAME || hostname();
  const here = whereabouts(env);
  const parts = here && [here.place, here.pidNamespace, here.pid, here.startTime].join(".");
  return {
    name,
    holder: [name, parts, randomBytes(5).toString("hex")].filter((part) => part !== undefined).join("_"),
    hasEnded: (holder) => here !== undefined && hasEnded(holder, here),
  };
}

function hasEnded(holder: string, here: Whereabouts): boolean {
  const [, place, pidNamespace, pid, startTime] = HOLDER.exec(holder) ?? [];
  if (place !== here.place) return false;
  // In one namespace processes can be looked up: it may be one that "kubectl exec" has started beside the other, or one
  // that is stopped.
  if (pidNamespace === here.pidNamespace) return isGone(Number(pid), `${startTime}`);
  // The kubelet starts a container only after it has seen its previous run end, and takes no other pod's UID for it.
  return here.isContainer;
}

function isGone(pid: number, startTime: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Without the right to signal it there is one.
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return true;
  }
  const now = startTimeOf(pid);
  return now !== undefined && now !== startTime;
}

/** Undefined where /proc is not what Linux has there. */
function whereabouts(env: NodeJS.ProcessEnv): Whereabouts | undefined {
  const { MY_POD_UID: uid, MY_CONTAINER_NAME: container } = env;
  const startTime = startTimeOf("self");
  const pidNamespace = attempt(() => readlinkSync("/proc/self/ns/pid").replace(/\D/g, ""));
  // Containers of one pod may run the same program, so without its own name a container proves no more than a machine
  // does.
  const isContainer = Boolean(uid && container);
  const place = isContainer
    ? `container ${uid} ${container}`
    : attempt(() => `boot ${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`);
  if (!startTime || !pidNamespace || place === undefined) return undefined;
  const digest = createHash("sha256").update(place).digest("hex").slice(0, 16);
  return { place: digest, isContainer, pidNamespace, pid: process.pid, startTime };
}

/**
 * In clock ticks since the machine was booted: the 22nd field, the second of which is a name in brackets that may hold
 * anything.
 */
function startTimeOf(pid: number | "self"): string | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
