import { setTimeout as pause } from "node:timers/promises";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../../src/kubernetes/kube-object.ts";
import { signalEtcd } from "../../../support/scenario/member-faults.ts";
import type { Stage } from "../stage.ts";
import type { Trouble } from "./step.ts";

/** Does it, and undoes it when its time, or that of the run, is over. */
export async function trouble(stage: Stage, step: Trouble, signal: AbortSignal): Promise<void> {
  switch (step.do) {
    case "kill":
      return signalAll(stage, await stage.playing(step.who), "SIGKILL");
    case "freeze": {
      const pods = await stage.playing(step.who);
      await signalAll(stage, pods, "SIGSTOP");
      await passed(step.forMs, signal);
      return signalAll(stage, pods, "SIGCONT");
    }
    case "cut-off": {
      const pods = await stage.playing(step.who);
      await Promise.allSettled(pods.map(({ metadata }) => stage.world.faults.isolate(metadata.uid)));
      await passed(step.forMs, signal);
      await Promise.allSettled(pods.map(({ metadata }) => stage.world.faults.reconnect(metadata.uid)));
      return;
    }
    case "part":
      return partTwo(stage, step.forMs, signal);
    case "compact":
      return compact(stage, step.keeps);
  }
}

/** Some of them may have gone in the meantime. */
async function signalAll(stage: Stage, pods: readonly Stored<Pod>[], name: NodeJS.Signals): Promise<void> {
  await Promise.allSettled(pods.map((pod) => signalEtcd(stage.world, pod, name)));
}

async function partTwo(stage: Stage, forMs: number, signal: AbortSignal): Promise<void> {
  const { leader, followers } = await stage.cluster.roles();
  const [one, other] = [leader, ...followers].map(({ metadata, status }) => ({
    uid: metadata.uid,
    ip: status?.podIP ?? "",
  }));
  if (!one || !other) return;
  await stage.world.faults.part(one, other);
  await passed(forMs, signal);
  await stage.world.faults.rejoin(one.uid, other.uid);
}

async function compact(stage: Stage, keeps: number): Promise<void> {
  const { leader } = await stage.cluster.roles();
  await stage.cluster.ask(leader, async (client) => {
    const { revision } = await client.status();
    await client.compact(revision - BigInt(keeps));
  });
}

async function passed(forMs: number, signal: AbortSignal): Promise<void> {
  await pause(forMs, undefined, { signal }).catch(() => undefined);
}
