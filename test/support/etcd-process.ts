import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { etcdEnvironment } from "../../src/local/binaries/binaries-folder.ts";
import { type EtcdBinaries, etcdBinaries } from "../../src/local/binaries/etcd-binaries.ts";

export interface EtcdProcessOptions {
  readonly version: string;
  readonly signal?: AbortSignal;
  /** Further flags for etcd. */
  readonly flags?: readonly string[];
}

/** A real etcd of one member on loopback, with its data in a temporary folder. */
export interface EtcdProcess {
  readonly clientUrl: string;
  readonly peerUrl: string;
  readonly pid: number;
  readonly dir: string;
  readonly binaries: EtcdBinaries;
  /** Runs this version's own etcdctl against it and gives what it printed. */
  etcdctl(...args: readonly string[]): Promise<string>;
  /** Ends etcd for certain and removes its data. */
  stop(): Promise<void>;
}

const attempts = 3;

/** Starts etcd and waits until it says that it is healthy. */
export async function startEtcd(options: EtcdProcessOptions): Promise<EtcdProcess> {
  const { signal } = options;
  const binaries = await etcdBinaries(options.version, { ...(signal && { signal }) });
  for (let attempt = 1; ; attempt += 1) {
    const started = await tryToStart(binaries, options);
    if (typeof started !== "string") return started;
    // Between finding a port free and etcd's listening on it, someone else may have taken it.
    if (attempt < attempts && started.includes("address already in use")) continue;
    throw new Error(`etcd ${binaries.version} did not become healthy\n${started}`);
  }
}

/** The running etcd, or what it printed if it did not become healthy. */
async function tryToStart(
  binaries: EtcdBinaries,
  { signal, flags = [] }: EtcdProcessOptions,
): Promise<EtcdProcess | string> {
  const dir = await mkdtemp(join(tmpdir(), "etcd-process-"));
  const [clientUrl, peerUrl] = (await freePorts()).map((port) => `http://127.0.0.1:${port}`) as [string, string];
  const args = [...memberFlags(join(dir, "data"), clientUrl, peerUrl), ...flags];
  const child = spawnTied(binaries.etcd, args);
  const output = collectOutput(child);
  const stop = async () => {
    await end(child);
    await rm(dir, { recursive: true, force: true });
  };
  try {
    if (!(await becomesHealthy(child, clientUrl, signal))) {
      await stop();
      return output();
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const etcdctl = (...words: readonly string[]) => runEtcdctl(binaries, clientUrl, words);
  return { clientUrl, peerUrl, pid: child.pid ?? 0, dir, binaries, etcdctl, stop };
}

function memberFlags(dataDir: string, clientUrl: string, peerUrl: string): string[] {
  return [
    ...["--name", "test", "--data-dir", dataDir],
    ...["--listen-client-urls", clientUrl, "--advertise-client-urls", clientUrl],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
    ...["--initial-cluster", `test=${peerUrl}`],
  ];
}

const setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].find((path) => existsSync(path));

/** Starts a program that the kernel kills when this process dies, however it dies (Linux's parent-death signal). */
function spawnTied(program: string, args: readonly string[]): ChildProcess {
  const [command, ...rest] = setpriv ? [setpriv, "--pdeathsig", "KILL", program] : [program];
  const child = spawn(command ?? program, [...rest, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: etcdEnvironment(process.env),
  });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  child.once("exit", () => process.removeListener("exit", kill));
  return child;
}

const keptOutput = 20_000;

function collectOutput(child: ChildProcess): () => string {
  let text = "";
  const keep = (chunk: Buffer) => {
    text = `${text}${chunk}`.slice(-keptOutput);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  child.on("error", (error) => keep(Buffer.from(error.message)));
  return () => text;
}

const healthDeadlineMs = 30_000;
const healthIntervalMs = 50;

async function becomesHealthy(child: ChildProcess, clientUrl: string, signal?: AbortSignal): Promise<boolean> {
  const deadline = Date.now() + healthDeadlineMs;
  while (!hasEnded(child) && Date.now() < deadline) {
    signal?.throwIfAborted();
    if (await isHealthy(clientUrl)) return true;
    await delay(healthIntervalMs, undefined, { ...(signal && { signal }) });
  }
  return false;
}

async function isHealthy(clientUrl: string): Promise<boolean> {
  try {
    const response = await fetch(`${clientUrl}/health`, { signal: AbortSignal.timeout(2_000) });
    const { health } = (await response.json()) as { health?: unknown };
    return String(health) === "true";
  } catch {
    return false;
  }
}

const graceMs = 5_000;

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const impatience = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await exited;
  clearTimeout(impatience);
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

async function runEtcdctl(binaries: EtcdBinaries, clientUrl: string, words: readonly string[]): Promise<string> {
  // etcdctl 3.3 speaks the v2 API unless told otherwise.
  const env = { ...process.env, ETCDCTL_API: "3", ETCDCTL_ENDPOINTS: clientUrl };
  const { stdout } = await promisify(execFile)(binaries.etcdctl, [...words], { env });
  return stdout;
}

/** Two ports that were free a moment ago; both are held until both are known, so that they differ. */
async function freePorts(): Promise<number[]> {
  const servers = [createServer(), createServer()];
  const ports: number[] = [];
  for (const server of servers) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address !== null && typeof address === "object") ports.push(address.port);
  }
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
