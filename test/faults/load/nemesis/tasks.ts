import { resources } from "../../../../src/kubernetes/resources.ts";
import { signalEtcd, volumeFolder, wipe } from "../../../support/scenario/member-faults.ts";
import { insist, type Stage } from "../stage.ts";
import { restore } from "./restore.ts";
import type { Task } from "./step.ts";

const WELL_MS = 90_000;
/** A minor may be asked for when the one before it has been reached. */
const STEP_MS = 90_000;

/** Asks for it and, but for restores, does not wait: a new spec may come while the last one is followed. */
export async function perform(stage: Stage, task: Task, signal: AbortSignal): Promise<void> {
  switch (task.do) {
    case "scale":
      stage.size = task.to;
      return stage.ask({ size: task.to });
    case "roll":
      return stage.ask({ pod: { resources: { requests: { cpu: task.cpu } } } });
    case "upgrade":
      return stage.ask({ version: task.to }, STEP_MS);
    case "restore":
      // Unlike the others it has an end of its own, which must be reached.
      return restore(stage, task.afterMs, signal).catch((error: Error) => void stage.failures.push(error.message));
    case "delete-pod":
      return stage.plan.claims ? deletePod(stage, task.who) : loseDisk(stage, task.who);
    case "lose-disk":
      return loseDisk(stage, task.who);
  }
}

async function deletePod(stage: Stage, who: "leader" | "follower"): Promise<void> {
  const [pod] = await stage.playing(who);
  if (!pod) return;
  const { uid } = pod.metadata;
  await insist(() => stage.world.client.delete(resources.pods, pod.metadata, { preconditions: { uid } }));
}

/** One disk of three or more, and only while every member is well: a majority of disks always survives. */
async function loseDisk(stage: Stage, who: "leader" | "follower"): Promise<void> {
  await stage.inTurn(async () => {
    await stage.settled(WELL_MS);
    const voters = await stage.voters();
    if (voters.length < 3) return;
    if (!stage.plan.claims) return deletePod(stage, who);
    const [pod] = await stage.playing(who);
    if (!pod) return;
    const folder = await volumeFolder(stage.world, pod);
    await signalEtcd(stage.world, pod, "SIGSTOP");
    await wipe(folder);
    await signalEtcd(stage.world, pod, "SIGKILL");
  });
}
