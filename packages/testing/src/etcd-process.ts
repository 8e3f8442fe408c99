import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { etcdEnvironment } from "@etcd-operator/local-kubernetes/binaries/binaries-folder.ts";
import { type EtcdBinaries, etcdBinaries } from "@etcd-operator/local-kubernetes/binaries/etcd-binaries.ts";
import { startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { until } from "./until.ts";

export interface EtcdProcessOptions {
  readonly version: string;
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
  const binaries = await etcdBinaries(options.version);
  for (let attempt = 1; ; attempt += 1) {
    const started = await tryToStart(binaries, options);
    if (typeof started !== "string") return started;
    // Between finding a port free and etcd's listening on it, someone else may have taken it.
    if (attempt < attempts && started.includes("address already in use")) continue;
    throw new Error(`etcd ${binaries.version} did not become healthy\n${started}`);
  }
}

/** The running etcd, or why it did not become healthy. */
async function tryToStart(binaries: EtcdBinaries, { flags = [] }: EtcdProcessOptions): Promise<EtcdProcess | string> {
  const dir = await mkdtemp(join(tmpdir(), "etcd-process-"));
  const [clientUrl = "", peerUrl = ""] = (await freePorts(2)).map((port) => `http://127.0.0.1:${port}`);
  const args = [...memberFlags(join(dir, "data"), clientUrl, peerUrl), ...flags];
  const command = { name: `etcd ${binaries.version}`, file: binaries.etcd, args, log: join(dir, "log") };
  const { pid, diedEarly, stop: end } = startGuarded({ ...command, env: etcdEnvironment(process.env) });
  const stop = async () => {
    await end();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await until(() => isHealthy(clientUrl), { what: `${command.name} to be healthy`, unless: diedEarly });
  } catch (error) {
    await stop();
    return String(error);
  }
  const etcdctl = (...words: readonly string[]) => runEtcdctl(binaries, clientUrl, words);
  return { clientUrl, peerUrl, pid, dir, binaries, etcdctl, stop };
}

function memberFlags(dataDir: string, clientUrl: string, peerUrl: string): string[] {
  return [
    ...["--name", "test", "--data-dir", dataDir],
    ...["--listen-client-urls", clientUrl, "--advertise-client-urls", clientUrl],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl],
    ...["--initial-cluster", `test=${peerUrl}`],
  ];
}

async function isHealthy(clientUrl: string): Promise<boolean> {
  const response = await fetch(`${clientUrl}/health`);
  const { health } = (await response.json()) as { health?: unknown };
  return String(health) === "true";
}

async function runEtcdctl(binaries: EtcdBinaries, clientUrl: string, words: readonly string[]): Promise<string> {
  // etcdctl 3.3 uses the v2 API by default.
  const env = { ...process.env, ETCDCTL_API: "3", ETCDCTL_ENDPOINTS: clientUrl };
  const { stdout } = await promisify(execFile)(binaries.etcdctl, [...words], { env });
  return stdout;
}
