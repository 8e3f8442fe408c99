import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { etcdBinaries } from "../binaries/etcd-binaries.ts";
import { withFileLock } from "../binaries/file-lock.ts";
import type { LocalConfig } from "../config.ts";
import { localClient } from "../local-client.ts";
import { ensureBridge, linkRemoval, removeBridge } from "../network/bridge.ts";
import { askLinks } from "../network/ip-command.ts";
import type { Command } from "../processes/guarded-process.ts";
import { instanceOf } from "./instance.ts";
import { LocalModeError } from "./local-mode-error.ts";
import { freePortBeside, isFree, machineFacts } from "./machine-facts.ts";
import { removeFormerNodes, startNodes } from "./node-processes.ts";
import { nodesThatAreOn } from "./node-switch.ts";
import { alreadyRunning, obstacle, portTaken } from "./preflight.ts";
import { type Plan, prepare, type Wishes, writeAdminKubeconfig } from "./prepare.ts";
import { answersOk, networkIsUp, podsCanRun, serverIsReady, storeIsReady } from "./readiness.ts";
import { bytesTooLong, storeCommand } from "./store-command.ts";
import { type SupervisedProcess, supervise } from "./supervised-process.ts";

/** The processes of local mode beside its store, in the order in which they start. */
export const PARTS = ["apiserver", "network", "controllers", "kubelet"] as const;
export type PartName = (typeof PARTS)[number];

/** What to run as a part: a program and its arguments; a kubelet is also told which node it is. */
export type PartCommand = (
  ...part: readonly [name: PartName, configFile: string, ...node: string[]]
) => readonly [file: string, ...args: string[]];

export interface LocalModeOptions {
  readonly stateDir: string;
  readonly port: number;
  /** How many nodes, each with a kubelet of its own. */
  readonly nodes: number;
  /** How long a node may be silent before it is given up. */
  readonly nodeGraceMs: number;
  readonly partCommand: PartCommand;
  /** Called when the API answers, before anything else runs on it. */
  readonly onServing?: (client: KubeClient) => Promise<void>;
  /** Further processes that run beside, such as the operator; they find the administrator's kubeconfig. */
  readonly companions?: (config: LocalConfig) => Promise<readonly Companion[]>;
  readonly onReady: (running: RunningLocalMode) => void;
  readonly log: (line: string) => void;
}

/** A process that is no part of local mode, but starts, comes back and stops with it. */
export interface Companion extends Command {
  /** Answers 200 once it is up. */
  readonly readyUrl: string;
}

export interface RunningLocalMode {
  readonly config: LocalConfig;
  /** The processes by name; each can be killed, and comes back. */
  pids(): Readonly<Record<string, number | undefined>>;
}

const STORE_VERSION = "3.5.16";

/** Runs a Kubernetes on this machine until the signal, and leaves nothing behind but its state. */
export async function runLocalMode(options: LocalModeOptions, signal: AbortSignal): Promise<void> {
  const stateDir = resolve(options.stateDir);
  const problem = obstacle(await machineFacts());
  if (problem !== undefined) throw new LocalModeError(problem);
  await privateFolder(stateDir);
  const busy = new AbortController();
  const lock = join(stateDir, "lock");
  // The kubeconfig says that the API answers, so it goes too, however we end.
  const kubeconfig = join(stateDir, "kubeconfig");
  const afterwards = [
    "sh",
    "-c",
    'rm -f "$1"; shift; exec "$@"',
    "sh",
    kubeconfig,
    ...linkRemoval(instanceOf(stateDir)),
  ];
  const held = withFileLock(lock, { signal: busy.signal, onWait: () => busy.abort(), afterwards }, () =>
    runHoldingLock({ ...options, stateDir }, lock, signal),
  );
  await held.catch(async (error: unknown) => {
    if (!busy.signal.aborted) throw error;
    throw new LocalModeError(alreadyRunning(stateDir, await holderOf(lock), await freePortBeside(options.port)));
  });
}

async function holderOf(lock: string): Promise<number | undefined> {
  const written = await readFile(lock, "utf8").catch(() => "");
  return /^\d+\n$/.test(written) ? Number(written) : undefined;
}

/**
 * Keys, tokens, the store's sockets and the data of all pods are in it: it is for the user who runs local mode, and for
 * no other.
 */
async function privateFolder(stateDir: string): Promise<void> {
  const tooLong = bytesTooLong(stateDir);
  const refusal = (why: string, options?: ErrorOptions) =>
    new LocalModeError(`${stateDir} cannot be the folder of a local mode: ${why}. Name another.`, options);
  if (tooLong > 0) throw refusal(`its path is ${tooLong} bytes too long for the sockets in it`);
  await mkdir(stateDir, { recursive: true, mode: 0o700 }).catch((cause: Error) => {
    throw refusal(cause.message, { cause });
  });
  const { uid } = await stat(stateDir);
  if (uid !== process.getuid?.()) throw refusal(`it belongs to the user ${uid}`);
  await chmod(stateDir, 0o700);
}

async function runHoldingLock(options: LocalModeOptions, lock: string, signal: AbortSignal): Promise<void> {
  const { stateDir, port, nodes, nodeGraceMs } = options;
  await writeFile(lock, `${process.pid}\n`);
  if (!(await isFree(port))) throw new LocalModeError(portTaken(port, await freePortBeside(port)));
  const processes: SupervisedProcess[] = [];
  try {
    await removeLeftovers(stateDir);
    const plan = await planWithBridge({ stateDir, port, nodes, nodeGraceMs });
    await startAll(plan, options, processes, signal);
    signal.throwIfAborted();
    options.onReady({
      config: plan.config,
      pids: () => Object.fromEntries(processes.map(({ name, pid }) => [name, pid])),
    });
    await aborted(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    // In reverse: who depends on another goes first.
    for (const part of processes.reverse()) await part.stop();
    await removeLeftovers(stateDir);
  }
}

// Only root writes there: in a folder that all may write to, any user could hold it or lead it elsewhere.
const ADDRESSES_LOCK = "/run/etcd-operator-local-addresses.lock";

/** Chooses addresses and takes them by making the bridge, one local mode of this machine at a time. */
async function planWithBridge(wishes: Omit<Wishes, "routes">): Promise<Plan> {
  return withFileLock(ADDRESSES_LOCK, {}, async () => {
    const plan = await prepare({ ...wishes, routes: await routes() });
    await ensureBridge(plan.config);
    return plan;
  });
}

async function startAll(
  { config, configFile }: Plan,
  { stateDir, partCommand, companions, onServing, log }: LocalModeOptions,
  processes: SupervisedProcess[],
  signal: AbortSignal,
): Promise<void> {
  const start = (command: Command) => processes.push(supervise(command, log));
  const part = (name: PartName): Command => {
    const [file, ...args] = partCommand(name, configFile);
    return { name, file, args, log: join(stateDir, "logs", `${name}.log`) };
  };
  const { etcd } = await etcdBinaries(STORE_VERSION, { signal, log });
  start(storeCommand({ etcd, stateDir }));
  await storeIsReady(config, signal);
  start(part("apiserver"));
  // The others wait for the API by themselves, and start in the meantime.
  for (const name of ["network", "controllers"] as const) start(part(name));
  const kubelets = startNodes({ config, configFile, partCommand, log, signal });
  processes.push(...kubelets);
  const client = await localClient(config, "supervisor");
  await serverIsReady(client, signal);
  await removeFormerNodes(client, config, signal);
  await onServing?.(client);
  await writeAdminKubeconfig(config);
  const beside = (await companions?.(config)) ?? [];
  for (const companion of beside) start(companion);
  await Promise.all([
    podsCanRun(client, await nodesThatAreOn(config), signal),
    networkIsUp(config, signal),
    ...beside.map(({ readyUrl }) => answersOk(readyUrl, signal)),
  ]);
  await client.close();
}

async function removeLeftovers(stateDir: string): Promise<void> {
  await rm(join(stateDir, "kubeconfig"), { force: true });
  await removeBridge({ instance: instanceOf(stateDir) });
}

async function routes(): Promise<readonly string[]> {
  const found = await askLinks<{ dst: string }>(["route", "show", "table", "all"], { operation: "list the routes" });
  return found.map(({ dst }) => dst);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((done) => signal.addEventListener("abort", () => done(), { once: true }));
}
