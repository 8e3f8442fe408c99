import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { LIMIT_MS } from "../workloads/limit.ts";
import type { Stage } from "../workloads/stage.ts";
import type { Workload } from "../workloads/workload.ts";

const ON_CLAIMS = { bootstrap: { mode: "Parallel" }, pod: { persistentVolumeClaimSpec: A_CLAIM } };
/** Longer than any of them is away, shorter than any clock is wrong by. */
const PATIENT_SECONDS = 600;
const AWAY_MS = 25_000;
const AGAIN_MS = 1_000;

/** Members that stop for a while, or for good, with pod and volume where they were. */
export const awayWorkloads: readonly Workload[] = [
  {
    // It comes back within its time, so it must never be replaced.
    name: "briefly-away",
    prepare: (stage) => prepared(stage, PATIENT_SECONDS),
    act: async (stage) => {
      const pod = victimOf(stage);
      const freezing = frozenUntil(stage, pod, () => false);
      await stage.time.until(() => !isReady(stage, pod), LIMIT_MS);
      await stage.time.pass(AWAY_MS);
      freezing.stop();
    },
    missing: (stage) => stage.unsettled(),
  },
  {
    // It never answers again, so it has to be replaced, whatever clocks say.
    name: "silent",
    prepare: (stage) => prepared(stage, 60),
    act: async (stage) => {
      const pod = victimOf(stage);
      const freezing = frozenUntil(stage, pod, () => !stage.memberPods.some(({ metadata }) => metadata.name === pod));
      await freezing.ended;
    },
    missing: (stage) => stage.unsettled(),
  },
];

async function prepared(stage: Stage, afterSeconds: number): Promise<void> {
  await stage.createCluster({ ...ON_CLAIMS, memberReplacement: { afterSeconds } });
  await stage.settled();
}

/** A follower, so that nothing else changes. */
function victimOf({ machine, memberPods }: Stage): string {
  const pod = memberPods.find(({ metadata }) => machine.etcd.processOf(metadata.name)?.role === "follower");
  if (!pod) throw new Error("there is no follower");
  return pod.metadata.name;
}

/** The kubelet starts it again and again; each of its processes is stopped as by SIGSTOP. */
function frozenUntil({ machine, time }: Stage, pod: string, isOver: () => boolean) {
  const freeze = () => {
    if (machine.etcd.processOf(pod)) machine.etcd.freeze(pod);
  };
  freeze();
  const timer = setInterval(freeze, AGAIN_MS);
  const stop = () => {
    clearInterval(timer);
    if (machine.etcd.processOf(pod)) machine.etcd.freeze(pod, false);
  };
  return { stop, ended: time.until(isOver, LIMIT_MS).then(stop) };
}

function isReady({ memberPods }: Stage, name: string): boolean {
  const pod = memberPods.find(({ metadata }) => metadata.name === name);
  return pod?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
}
