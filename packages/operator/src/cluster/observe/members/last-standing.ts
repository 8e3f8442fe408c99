import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../../api/etcd-cluster.ts";
import type { LastStanding, SetAside } from "../../model/observation.ts";
import type { Answers } from "./ask-members.ts";

export const NOTHING_SAID: Answers = { answers: new Map(), membership: { kind: "unknown" }, alarms: [] };

/**
 * The pod of the leader of the cluster before, once no other member of it may run, and until what it has has been
 * noted.
 */
export function lastStanding(
  { status }: Stored<EtcdCluster>,
  own: readonly Stored<Pod>[],
  setAside: SetAside,
): Stored<Pod> | undefined {
  const { restore } = status ?? {};
  if (restore?.state !== "Fencing" || !restore.lastToStop || restore.allSaved !== undefined) return undefined;
  const running = setAside.pods.filter(({ mayRun }) => mayRun);
  const [last] = running;
  if (running.length !== 1 || last?.name !== restore.lastToStop || last.isTerminating) return undefined;
  return own.find(({ metadata }) => metadata.uid === last.uid);
}

export function lastSeen({ metadata }: Stored<Pod>, { answers, membership }: Answers): LastStanding {
  return { name: metadata.name, answer: answers.get(metadata.uid) ?? { health: "unknown" }, membership };
}
