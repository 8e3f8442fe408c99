import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { writeKubeconfig } from "@etcd-operator/local-kubernetes";
import { tiedToUs } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { type ImageContent, writeImageArchive } from "./images/image-archive.ts";
import { nodeAddresses } from "./inside/addresses.ts";
import type { Order, Ready } from "./inside/order.ts";
import { makeTraces } from "./traces.ts";
import { openTunnel } from "./tunnel.ts";

/** A real Kubernetes on this machine, which cannot reach anything outside, and leaves nothing behind. */
export interface RealNode extends Pick<Ready, "version" | "nodes" | "seconds"> {
  readonly kubeconfig: string;
  /** Path of the socket that leads to the addresses inside. */
  readonly tunnel: string;
  readonly directory: string;
  /** The name of its groups in each hierarchy of cgroups. */
  readonly cgroup: string;
  /** Of the process that holds the namespaces. */
  readonly pid: number;
  /** Makes an image known to every node. */
  load(name: string, image: ImageContent): Promise<void>;
  stop(): Promise<void>;
}

const MAIN = fileURLToPath(new URL("./inside/main.ts", import.meta.url));
// The first process of a namespace must wait for those whose parents ended; a shell does, and Node.js does not.
const INIT = '"$@" <&3 & exec 3<&-; wait $!';
const NAMESPACES = ["--net", "--mount", "--pid", "--ipc", "--uts"];

/** Starts a control plane and nodes in namespaces of their own; needs root and `make prepare KUBE=1 REAL_NODE=1`. */
export async function startRealNode({ nodes = 1 }: { readonly nodes?: number } = {}): Promise<RealNode> {
  const directory = await mkdtemp(join(tmpdir(), "real-node-"));
  const cgroup = `real-node-${randomBytes(4).toString("hex")}`;
  const traces = await makeTraces(
    directory,
    cgroup,
    nodeAddresses(nodes).map(({ name }) => name),
  );
  const path = join(directory, "tunnel");
  const inside = await enter(directory, { directory, tunnel: path, cgroup: `/${cgroup}`, nodes });
  const ends: (() => unknown)[] = [traces.remove, inside.leave];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  try {
    const ready = await inside.next<Ready>();
    const tunnel = await openTunnel(path, ready.server);
    ends.push(tunnel.close);
    const { version, nodes: names, seconds, ca, cert, key } = ready;
    const server = `https://127.0.0.1:${tunnel.port}`;
    const identity = { kind: "certificate", cert, key } as const;
    const kubeconfig = await writeKubeconfig(join(directory, "kubeconfig"), { server, ca, identity });
    const load = async (name: string, image: ImageContent) => {
      const archive = join(directory, `${name}.tar`);
      await writeImageArchive(archive, image);
      await inside.ask(archive);
    };
    return { version, nodes: names, seconds, kubeconfig, tunnel: path, directory, cgroup, pid: inside.pid, load, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Inside {
  readonly pid: number;
  next<Answer>(): Promise<Answer>;
  ask(line: string): Promise<void>;
  leave(): Promise<void>;
}

async function enter(directory: string, order: Order): Promise<Inside> {
  const file = join(directory, "order.json");
  const log = join(directory, "inside.log");
  const scratch = join(directory, "tmp");
  await mkdir(scratch);
  await writeFile(file, JSON.stringify(order));
  const init = ["sh", "-c", INIT, "sh", process.execPath, MAIN, file];
  const output = openSync(log, "a");
  const child = spawn(...tiedToUs("unshare", [...NAMESPACES, "--mount-proc", "--fork", "--kill-child", ...init]), {
    env: { ...process.env, TMPDIR: scratch, ETCD_OPERATOR_FETCH: "never" },
    stdio: ["ignore", "pipe", output, "pipe"],
    detached: true,
  });
  closeSync(output);
  return conversation(child, log);
}

function conversation(child: ChildProcess, log: string): Inside {
  const pipe = child.stdio[3] as NodeJS.WritableStream;
  pipe.on("error", () => undefined);
  const answers = linesOf(createInterface(child.stdout as NodeJS.ReadableStream));
  const ended = once(child, "exit");
  const next = async <Answer>() => {
    const { value, done } = await answers.next();
    if (!done) return JSON.parse(value) as Answer;
    const end = readFileSync(log, "utf8").trimEnd().split("\n").slice(-30).join("\n");
    throw new Error(`The real node ended; the end of its log:\n${end}`);
  };
  return {
    pid: child.pid ?? 0,
    next,
    async ask(line) {
      pipe.write(`${line}\n`);
      await next();
    },
    async leave() {
      pipe.end();
      await ended;
    },
  };
}

async function* linesOf(lines: Interface): AsyncGenerator<string> {
  yield* lines;
}
