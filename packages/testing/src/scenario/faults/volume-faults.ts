import { readdirSync, readlinkSync, statSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { UPLOADS_FOLDER } from "@etcd-operator/object-store/volume/file-of-key.ts";
import { TRANSFER_PORT, WORKER_LABELS } from "@etcd-operator/operator/transfer/names.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { podProcesses } from "../../local/pod-processes.ts";
import { runCommandOrThrow } from "../../process/run-command.ts";
import { until } from "../../until.ts";
import type { ClusterScenario } from "../cluster-scenario.ts";

/** A worker that stands still in the middle of an upload. */
export interface FrozenWorker {
  thaw(): unknown;
  /** Breaks every connection to it, and lets it go on. */
  cut(): Promise<void>;
  kill(): void;
}

const PROGRAM = "node";
const STEP_MS = 2;

/**
 * Stops the worker of a backup when so many bytes of it have reached the volume; undefined when all were there before
 * the test could.
 */
export async function frozenWorker(
  scenario: ClusterScenario,
  { owner, afterBytes }: { readonly owner: string; readonly afterBytes: number },
): Promise<FrozenWorker | undefined> {
  const { pod, pid } = await workerOf(scenario, owner);
  const thaw = () => signal(pid, "SIGCONT");
  // It moves for a moment at a time, so that the place is not missed.
  for (let seen = 0; ; ) {
    if (!signal(pid, "SIGSTOP")) return undefined;
    const now = uploadedBy(pid);
    if (now > afterBytes) break;
    thaw();
    if (seen > 0 && now === 0) return undefined;
    seen = now;
    await pause(STEP_MS);
  }
  return {
    thaw,
    async cut() {
      // As a middlebox does that has forgotten them: both ends get a reset.
      await runCommandOrThrow("ss", ["--kill", "dst", pod.status?.podIP ?? "", "dport", "=", String(TRANSFER_PORT)]);
      thaw();
    },
    kill: () => void signal(pid, "SIGKILL"),
  };
}

function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false; // It has ended.
  }
}

/** The size of the file that it has open and that is no object yet. */
function uploadedBy(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  try {
    const files = readdirSync(folder).filter((fd) => readlinkSync(`${folder}/${fd}`).includes(UPLOADS_FOLDER));
    return Math.max(0, ...files.map((fd) => statSync(`${folder}/${fd}`).size));
  } catch {
    return 0; // It has just closed one of them.
  }
}

/** The pod of the worker that runs for an object of this name, and its process on this machine. */
async function workerOf({ client, local }: ClusterScenario, owner: string): Promise<{ pod: Stored<Pod>; pid: number }> {
  const labelSelector = `app=${WORKER_LABELS.app}`;
  const find = async () => {
    const { items } = await client.list(resources.pods, { namespace: "default", labelSelector });
    const pod = items.find(
      ({ metadata, status }) => metadata.ownerReferences?.some(({ name }) => name === owner) && status?.podIP,
    );
    const [pid] = pod ? await podProcesses(local.stateDir, pod.metadata.uid, PROGRAM) : [];
    return pod && pid !== undefined && { pod, pid };
  };
  return until(find, { what: `a worker of ${owner}`, everyMs: 20, timeoutMs: 60_000 });
}
