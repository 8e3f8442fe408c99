import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasCode } from "@etcd-operator/kubernetes-client";
import { podProcesses } from "@etcd-operator/testing/local/pod-processes.ts";
import { isRunning } from "@etcd-operator/testing/process/process-state.ts";
import { deletePods, signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { Acts } from "../acts.ts";
import type { Role } from "../plan.ts";
import type { Stage } from "../stage.ts";

type Kinds =
  | "stop"
  | "resume"
  | "freeze"
  | "thaw"
  | "kill"
  | "reboot"
  | "cut-off"
  | "reconnect"
  | "delete-pods"
  | "catch-newcomer";

/** What is done to pods and to the programs in them. */
export const podActs: Acts<Kinds> = {
  async stop(stage, { who, isForced }) {
    await stage.pause(true);
    await deletePods(stage.world, await podsOf(stage, who), isForced ? 0 : undefined);
  },
  resume: (stage) => stage.pause(false),
  freeze: (stage, { who }) => signal(stage, who, "SIGSTOP"),
  thaw: (stage, { who }) => signal(stage, who, "SIGCONT"),
  // One that lost its files may have ended by itself.
  kill: (stage, { who }) => signal(stage, who, "SIGKILL").catch(unlessGone),
  reboot: (stage, { who }) => Promise.all(who.map((role) => reboot(stage, role))),
  async "cut-off"(stage, { who }) {
    for (const pod of await podsOf(stage, who)) await stage.world.faults.isolate(pod.metadata.uid);
  },
  async reconnect(stage, { who }) {
    for (const pod of await podsOf(stage, who)) await stage.world.faults.reconnect(pod.metadata.uid);
  },
  async "delete-pods"(stage, { who }) {
    // One that lost its files may have been replaced by now.
    await podsOf(stage, who)
      .then((pods) => deletePods(stage.world, pods))
      .catch(unlessGone);
  },
  "catch-newcomer": (stage) => catchRunning(stage, "newcomer"),
};

function podsOf(stage: Stage, who: readonly Role[]) {
  return Promise.all(who.map((role) => stage.podOf(role)));
}

async function signal(stage: Stage, who: readonly Role[], name: NodeJS.Signals): Promise<void> {
  const pods = await podsOf(stage, who);
  await Promise.all(pods.map((pod) => signalEtcd(stage.world, pod, name)));
}

function unlessGone(error: unknown): void {
  const isGone = hasCode(error, "not-found") || (error instanceof Error && error.message.includes("runs no etcd"));
  if (!isGone) throw error;
}

async function reboot(stage: Stage, role: Role): Promise<void> {
  const { metadata } = await stage.podOf(role);
  const file = join(stage.world.local.stateDir, "pods", metadata.uid, "sandbox.pid");
  const pid = Number((await readFile(file, "utf8")).trim());
  process.kill(pid, "SIGKILL");
  await until(async () => !(await isRunning(pid)), { what: `the sandbox of ${metadata.name} to end` });
}

const ETCD = "/usr/local/bin/etcd";

/**
 * Waits for the etcd of a pod that has no part yet, freezes it as soon as there is data on its volume, and gives it
 * one.
 */
export async function catchRunning(stage: Stage, role: Role): Promise<void> {
  const { stateDir } = stage.world.local;
  const stranger = async () => (await stage.cluster.pods()).find(({ metadata }) => !stage.knows(metadata.name));
  if (stage.plan.beginsAtOnce) await holdFounding(stage, stranger);
  if (stage.isTooLate) return;
  const find = async () => {
    const pod = await stranger();
    const [pid] = pod ? await podProcesses(stateDir, pod.metadata.uid, ETCD) : [];
    if (!pod || pid === undefined) return undefined;
    process.kill(pid, "SIGSTOP");
    return pod;
  };
  const pod = await until(find, { what: "a new member to run", timeoutMs: 60_000, everyMs: 20 });
  await stage.cast(role, pod);
}

/**
 * Has the operator hold still before it records a cluster; on a slow machine that may come too late, and the plan is
 * played again.
 */
async function holdFounding(stage: Stage, founder: () => Promise<unknown>): Promise<void> {
  await until(founder, { what: "an initial member", timeoutMs: 60_000, everyMs: 20 });
  await stage.pause(true);
  stage.isTooLate = (await stage.cluster.get()).status?.clusterID !== undefined;
  if (stage.isTooLate) await stage.pause(false);
}
