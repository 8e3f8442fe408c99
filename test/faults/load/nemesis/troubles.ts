import { setTimeout as pause } from "node:timers/promises";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { signalEtcd } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stage } from "../stage.ts";
import { hitAny } from "./hit-any.ts";
import type { Trouble } from "./step.ts";

/** Does it, and undoes it when its time, or that of the run, is over. */
export async function trouble(stage: Stage, step: Trouble, signal: AbortSignal): Promise<void> {
  switch (step.do) {
    case "kill":
      return hitAny(signals(stage, await stage.playing(step.who), "SIGKILL"));
    case "freeze":
      return freeze(stage, await stage.playing(step.who), () => passed(step.forMs, signal));
    case "cut-off":
      return cutOff(stage, await stage.playing(step.who), () => passed(step.forMs, signal));
    case "part":
      return partTwo(stage, step.forMs, signal);
    case "compact":
      return compact(stage, step.keeps);
  }
}

type Pods = readonly Stored<Pod>[];

function signals(stage: Stage, pods: Pods, name: NodeJS.Signals): readonly Promise<void>[] {
  return pods.map((pod) => signalEtcd(stage.world, pod, name));
}

async function freeze(stage: Stage, pods: Pods, passed: () => Promise<void>): Promise<void> {
  try {
    await hitAny(signals(stage, pods, "SIGSTOP"));
    await passed();
  } finally {
    // Some of them may have gone in the meantime.
    await Promise.allSettled(signals(stage, pods, "SIGCONT"));
  }
}

async function cutOff({ world: { faults } }: Stage, pods: Pods, passed: () => Promise<void>): Promise<void> {
  try {
    await hitAny(pods.map(({ metadata }) => faults.isolate(metadata.uid)));
    await passed();
  } finally {
    await Promise.allSettled(pods.map(({ metadata }) => faults.reconnect(metadata.uid)));
  }
}

async function partTwo(stage: Stage, forMs: number, signal: AbortSignal): Promise<void> {
  const { leader, followers } = await stage.cluster.roles();
  const [one, other] = [leader, ...followers].map(({ metadata, status }) => ({
    uid: metadata.uid,
    ip: status?.podIP ?? "",
  }));
  if (!one || !other) throw new Error("there are no two members to part");
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
