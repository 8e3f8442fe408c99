import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts, type LocalConfig, loadLocalConfig, turnOff, turnOn } from "@etcd-operator/local-kubernetes";
import { type GuardedProcess, startGuarded } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import { kubectlOrThrow, kubectl as run } from "../kube/kubectl.ts";
import { LoopsOfOperators } from "../loops/loops-of-operators.ts";
import type { CommandResult } from "../process/run-command.ts";
import { until } from "../until.ts";
import { childRunning } from "./child-processes.ts";

/** A local mode as `make run` starts it, in a folder of its own. */
export interface LocalModeUnderTest {
  readonly stateDir: string;
  readonly kubeconfig: string;
  /** Those of operators, whose writes are in its audit log. */
  readonly loops: LoopsOfOperators;
  readonly config: LocalConfig;
  /** The process that everything else descends from. */
  readonly pid: number;
  /** The operator's process; another one after it was killed, undefined in between and where there is none. */
  operatorPid(): Promise<number | undefined>;
  /** What it printed. */
  output(): Promise<string>;
  kubectl(...args: readonly string[]): Promise<string>;
  /** Feeds a manifest to kubectl apply. */
  apply(...objects: readonly object[]): Promise<string>;
  tryKubectl(args: readonly string[], input?: string): Promise<CommandResult>;
  /** Switches a node off, as if its machine lost power, until it is started again. */
  stopNode(name: string): Promise<void>;
  startNode(name: string): Promise<void>;
  /** Ends it as Ctrl-C does; its state stays. */
  stop(): Promise<void>;
  /** Kills it with SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again on the same state, with another choice of what runs beside it if there is one. */
  start(operator?: boolean | "none"): Promise<void>;
  /** Ends it and removes its state; throws if an operator was in a loop that was not asked for. */
  dispose(): Promise<void>;
}

export interface LocalModeGiven {
  /** Whether the operator runs beside it, as with `make run`; without it only local mode itself is under test. */
  readonly operator?: boolean | "none";
  readonly nodes?: number;
  /** How long a node may be silent before it is declared lost; shorter than usual for tests. */
  readonly nodeGraceSeconds?: number;
  /** Where its state lies, for callers that have to know before it starts; a temporary folder of its own otherwise. */
  readonly stateDir?: string;
}

export async function startLocalMode(given: LocalModeGiven = {}): Promise<LocalModeUnderTest> {
  const { operator = false, nodes = 1, nodeGraceSeconds = 50 } = given;
  const { stateDir = await mkdtemp(join(tmpdir(), "local-mode-")) } = given;
  await mkdir(stateDir, { recursive: true });
  const [port = 0] = await freePorts(1);
  const kubeconfig = join(stateDir, "kubeconfig");
  const log = join(stateDir, "up.log");
  const auditFile = join(stateDir, "audit.log");
  const loops = new LoopsOfOperators(auditFile);
  let running: GuardedProcess | undefined;
  let config: LocalConfig | undefined;

  let beside = operator;
  async function start(other = beside): Promise<void> {
    beside = other;
    const flags = { state: stateDir, port, operator: beside, nodes, "node-grace": nodeGraceSeconds };
    const words = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    const args = ["dist/local/local.mjs", "up", ...words];
    const before = (await readFile(log, "utf8").catch(() => "")).length;
    const env = { ...process.env, LOCAL_MODE_AUDIT: auditFile };
    running = startGuarded({ name: "local mode", file: process.execPath, args, log, env });
    const isReady = async () => (await readFile(log, "utf8")).slice(before).includes("ready:");
    await until(isReady, { what: "local mode to be ready", timeoutMs: 120_000, unless: running.diedEarly });
    config = await loadLocalConfig(join(stateDir, "config.json"));
  }
  await start().catch(async (error: unknown) => {
    await running?.stop();
    throw error;
  });

  return {
    stateDir,
    kubeconfig,
    loops,
    get config() {
      if (!config) throw new Error("local mode has not started");
      return config;
    },
    get pid() {
      return running?.pid ?? 0;
    },
    operatorPid: async () => (running ? childRunning(running.pid, "etcd-operator.mjs") : undefined),
    output: () => readFile(log, "utf8"),
    kubectl: (...args) => kubectlOrThrow(kubeconfig, args),
    apply: (...objects) => {
      const input = objects.map((object) => JSON.stringify(object)).join("\n");
      return kubectlOrThrow(kubeconfig, ["apply", "-f", "-"], { input });
    },
    tryKubectl: (args, input) => run(kubeconfig, args, { ...(input !== undefined && { input }) }),
    stopNode: (name) => turnOff(stateDir, name),
    startNode: (name) => turnOn(stateDir, name),
    stop: async () => running?.stop(),
    async kill() {
      if (running) process.kill(running.pid, "SIGKILL");
      await running?.ended;
    },
    start,
    async dispose() {
      await running?.stop();
      const found = await loops.found();
      await rm(stateDir, { recursive: true, force: true });
      if (found.length > 0) throw new Error(found.join("\n"));
    },
  };
}
