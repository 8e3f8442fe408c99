import { spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable } from "node:stream";
import { KubeletError } from "../kubelet-error.ts";
import { killQuietly, onlyChildOf } from "./host-pid.ts";
import { toolAt, toolPath } from "./host-tools.ts";
import { type Identity, setprivWords } from "./identity.ts";
import type { RootFolder } from "./root-folder.ts";

export interface Launch {
  readonly root: RootFolder;
  readonly env: ReadonlyMap<string, string>;
  readonly workingDir: string;
  readonly command: readonly string[];
  readonly identity: Identity;
}

/** The main process of a container: pid 1 of its own PID namespace, so that its end is the end of all of them. */
export interface ContainerProcess {
  /** Seen from the machine. */
  readonly pid: number;
  /** The exit code; 128 + the number of the signal that killed it, as runtimes say. */
  readonly ended: Promise<number>;
  kill(signal: "SIGTERM" | "SIGKILL"): void;
}

// The first child of a shell whose children live in a new PID namespace is pid 1 there. The shell waits, because
// "unshare --fork" does not tell a death by SIGKILL; what it would say about one is not for the container's log.
const waiter = 'exec 5>&2 2> /dev/null; "$@" 2>&5 5>&-; exit $?';

// Errors of the set-up go to descriptor 3, apart from the container's own output.
const script = `
exec 4>&2 2>&3
mount --no-mtab --all --fstab "$2"
cd "$1"
pivot_root . mnt
cd /
umount -n -l /mnt
cd "$3"
PATH="$4" command -v -- "$5" > /dev/null || { echo "exec: \\"$5\\": executable file not found in \\$PATH" >&2; exit 127; }
exec 2>&4 4>&-
shift 5
echo up >&3
exec 3>&-
exec "$@"
`;

/** Starts a container in a pod's namespaces; all its mounts live in a namespace of its own and vanish with it. */
export async function startContainerProcess(
  sandboxPid: number,
  launch: Launch,
  output: (stream: "stdout" | "stderr", from: Readable) => void,
): Promise<ContainerProcess> {
  const { root, workingDir, env, command } = launch;
  const words = [root.root, root.table, workingDir, env.get("PATH") ?? "", command[0] ?? "", ...programWords(launch)];
  const child = spawn(
    toolAt("nsenter"),
    [
      ...["--target", String(sandboxPid), "--net", "--uts", "--ipc", "--pid", "--", toolAt("unshare")],
      ...["--mount", "--propagation", "private", "--pid", "sh", "-c", waiter, "waiter"],
      ...["sh", "-euc", script, "container", ...words],
    ],
    { stdio: ["ignore", "pipe", "pipe", "pipe"], env: { PATH: toolPath } },
  );
  output("stdout", child.stdout as Readable);
  output("stderr", child.stderr as Readable);
  const ended = new Promise<number>((resolve) => {
    child.once("close", (code, signal) => resolve(exitCodeOf(code, signal)));
    child.once("error", () => resolve(128));
  });
  await comesUp(child.stdio[3] as Readable, ended);
  const pid = mainProcessOf(child.pid ?? 0);
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  return { pid, ended, kill: (signal) => isOver || killQuietly(pid, signal) };
}

/** The words that run a program as a container's identity with nothing but its environment. */
export function programWords({ env, identity, command }: Pick<Launch, "env" | "identity" | "command">): string[] {
  const variables = [...env].map(([name, value]) => `${name}=${value}`);
  return [toolAt("setpriv"), ...setprivWords(identity), toolAt("env"), "-i", "--", ...variables, ...command];
}

/** The exit code that a runtime would report: 128 + the number of the signal that killed the process. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return signal === null ? (code ?? 128) : 128 + constants.signals[signal];
}

async function comesUp(report: Readable, ended: Promise<number>): Promise<void> {
  let said = "";
  const up = new Promise<void>((resolve) => {
    report.on("data", (chunk: Buffer) => {
      said += chunk;
      if (said.endsWith("up\n")) resolve();
    });
  });
  const gone = ended.then(() => {
    if (said === "") throw new KubeletError("killed", "the container's set-up was killed");
    throw new KubeletError("set-up-failed", said.trim());
  });
  gone.catch(() => undefined);
  await Promise.race([up, gone]);
}

/** nsenter waits for the shell, which waits for the main process. */
function mainProcessOf(nsenter: number): number {
  const shell = onlyChildOf(nsenter);
  return (shell === undefined ? undefined : onlyChildOf(shell)) ?? 0;
}
