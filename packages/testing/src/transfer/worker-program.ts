import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "@etcd-operator/local-kubernetes";
import { tiedToUs } from "@etcd-operator/local-kubernetes/processes/guarded-process.ts";
import type { WorkerEndpoint } from "@etcd-operator/object-store";
import { endpointOf, makeTransferSecret } from "@etcd-operator/operator/transfer/trust/transfer-secret.ts";
import { until } from "../until.ts";

const PROGRAM = join(import.meta.dirname, "../../../operator/src/transfer/worker/etcd-store-worker.ts");

/** The program etcd-store-worker as a process on loopback, with the Secret of a pod as its files. */
export interface WorkerProgram {
  readonly endpoint: WorkerEndpoint;
  /** All that it said so far. */
  said(): string;
  /** Resolves when it said so; rejects when it has ended before. */
  says(words: string): Promise<void>;
  /** Its exit code, once it has ended. */
  readonly ended: Promise<number>;
  signal(signal: NodeJS.Signals): void;
  /** Ends it for certain. */
  stop(): Promise<void>;
}

export interface WorkerProgramOptions {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What starts it, in the place of which it runs; as in ["unshare", "--mount"]. */
  readonly inside?: readonly string[];
}

export async function startWorkerProgram({ args, env, inside = [] }: WorkerProgramOptions): Promise<WorkerProgram> {
  const identity = mkdtempSync(join(tmpdir(), "worker-identity-"));
  const secret = await makeTransferSecret({ metadata: { namespace: "default", name: "worker", uid: "uid" } });
  for (const [file, text] of Object.entries(secret.data ?? {})) {
    writeFileSync(join(identity, file), Buffer.from(text, "base64"));
  }
  const [port = 0] = await freePorts(1);
  const command = [...inside, process.execPath, PROGRAM, ...args];
  const [file = "", ...rest] = [...command, `--port=${port}`, `--identity=${identity}`];
  const child = spawn(...tiedToUs(file, rest), {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...env },
  });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, "close").then(([code]) => {
    rmSync(identity, { recursive: true, force: true });
    return (code as number | null) ?? -1;
  });
  const endedEarly = ended.then((code): never => {
    throw new Error(`the worker ended with ${code}: ${said}`);
  });
  endedEarly.catch(() => undefined);
  return {
    endpoint: { ...endpointOf(secret, "127.0.0.1"), address: `127.0.0.1:${port}` },
    said: () => said,
    says: async (words) => void (await until(() => said.includes(words), { what: words, unless: endedEarly })),
    ended,
    signal: (signal) => void child.kill(signal),
    stop: () => stopped(child, ended),
  };
}

async function stopped(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  await ended;
}
