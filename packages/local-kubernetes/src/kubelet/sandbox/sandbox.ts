import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { KubeletError } from "../kubelet-error.ts";
import { killQuietly, onlyChildOf } from "./host-pid.ts";
import { toolAt, toolPath } from "./host-tools.ts";

export interface SandboxRequest {
  readonly hostname: string;
  readonly ip: string;
  readonly prefixLength: number;
  readonly gateway: string;
  readonly bridge: string;
  /** The host's end of the cable. */
  readonly veth: string;
}

/** The namespaces of a pod, held by a process that is pid 1 in them: they last as long as it does. */
export interface Sandbox {
  /** The holder, seen from the machine. */
  readonly pid: number;
  readonly ip: string;
  /** Resolves when the holder has ended, and with it every process of the pod. */
  readonly ended: Promise<void>;
  destroy(): Promise<void>;
}

// Everything of the pod's network in two calls of ip(8). The cable is made from inside, so that it dies with the
// namespace however that ends. The holder ignores SIGCHLD, which makes the kernel reap what is orphaned, and ends when
// its standard input does: that is when we do.
const script = `
echo "$1" > /proc/sys/kernel/hostname
printf '%s\\n' "link add eth0 type veth peer name $2 netns /proc/$3/ns/net" "link set lo up" "link set eth0 up" \\
  "addr add $4 dev eth0" "route add default via $5" | ip -batch -
nsenter --net=/proc/$3/ns/net ip link set "$2" master "$6" up
echo up
exec env --ignore-signal=CHLD cat > /dev/null
`;

/** Makes a pod's namespaces with a network card in them. They vanish with this process, even if it is killed. */
export async function startSandbox(request: SandboxRequest): Promise<Sandbox> {
  const { hostname, veth, ip, prefixLength, gateway, bridge } = request;
  const words = [hostname, veth, String(process.pid), `${ip}/${prefixLength}`, gateway, bridge];
  const child = spawn(
    toolAt("setpriv"),
    [
      ...["--pdeathsig", "KILL", toolAt("unshare"), "--kill-child=KILL", "--fork", "--pid", "--net", "--uts", "--ipc"],
      ...["sh", "-euc", script, "sandbox", ...words],
    ],
    { stdio: ["pipe", "pipe", "pipe"], env: { PATH: toolPath } },
  );
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  // Writing to a holder that has just died is no event of ours: "close" tells of it.
  child.stdin.on("error", () => undefined);
  await comesUp(child, request);
  const pid = onlyChildOf(child.pid ?? 0);
  if (pid === undefined) throw new KubeletError("set-up-failed", `the sandbox of ${hostname} ended at once`);
  return { pid, ip, ended, destroy: () => destroy(child, pid, ended) };
}

async function comesUp(child: ChildProcess, { hostname }: SandboxRequest): Promise<void> {
  let complaint = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-2_000);
  });
  const up = once(child.stdout as NodeJS.EventEmitter, "data");
  const gone = once(child, "close").then(() => {
    throw new KubeletError("set-up-failed", `could not make the sandbox of ${hostname}: ${complaint.trim()}`);
  });
  await Promise.race([up, gone]);
  gone.catch(() => undefined);
}

async function destroy(child: ChildProcess, pid: number, ended: Promise<void>): Promise<void> {
  // pid 1 of the namespace takes everything in it along, and unshare, its parent, sees to it that no zombie stays.
  if (child.exitCode === null && child.signalCode === null) killQuietly(pid, "SIGKILL");
  child.stdin?.destroy();
  await ended;
}
