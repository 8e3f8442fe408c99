import { resources } from "@etcd-operator/kubernetes-client";
import { signalEtcd, volumeFolder, wipe } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import { insist, type Stage } from "../stage.ts";
import { restore } from "./restore.ts";
import type { Task } from "./step.ts";

const WELL_MS = 90_000;
/** A minor may be asked for when the one before it has been reached, which may take long on a slow machine. */
const STEP_MS = 300_000;

/**
 * Asks for it and, but for restores, does not wait: a new spec may come while the last one is followed. Throws where
 * nothing was done.
 */
export async function perform(stage: Stage, task: Task, signal: AbortSignal): Promise<void> {
  switch (task.do) {
    case "scale":
      stage.size = task.to;
      return stage.ask({ size: task.to });
    case "roll":
      return stage.ask({ pod: { resources: { requests: { cpu: task.cpu } } } });
    case "upgrade":
      stage.version = task.to;
      return stage.ask({ version: task.to }, STEP_MS);
    case "restore":
      // Unlike the others it has an end of its own, which must be reached.
      return restore(stage, task.afterMs, signal).catch((error: Error) => {
        stage.failures.push(error.message);
        throw error;
      });
    case "delete-pod":
      return stage.plan.claims ? deletePod(stage, task.who) : loseDisk(stage, task.who);
    case "lose-disk":
      return loseDisk(stage, task.who);
  }
}

async function deletePod(stage: Stage, who: "leader" | "follower"): Promise<void> {
  const pod = await theOne(stage, who);
  const { uid } = pod.metadata;
  await insist(() => stage.world.client.delete(resources.pods, pod.metadata, { preconditions: { uid } }));
}

/** One disk of three or more, and only while every member is healthy: a majority of disks always survives. */
async function loseDisk(stage: Stage, who: "leader" | "follower"): Promise<void> {
  await stage.inTurn(async () => {
    await stage.settled(WELL_MS);
    const voters = await stage.voters();
    if (voters.length < 3) throw new Error(`${voters.length} members have no disk to spare`);
    if (!stage.plan.claims) return deletePod(stage, who);
    const pod = await theOne(stage, who);
    const folder = await volumeFolder(stage.world, pod);
    await signalEtcd(stage.world, pod, "SIGSTOP");
    await wipe(folder);
    await signalEtcd(stage.world, pod, "SIGKILL");
  });
}

async function theOne(stage: Stage, who: "leader" | "follower") {
  const [pod] = await stage.playing(who);
  if (!pod) throw new Error(`there is no ${who}`);
  return pod;
}
