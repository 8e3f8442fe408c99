import type { EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { AnsweredStatus, Observation, PodSeen } from "@etcd-operator/operator/cluster/model/observation.ts";
import { anObservation, CLUSTER_ID, type ObservationGiven } from "./an-observation.ts";

/** For tests: members that were made from one spec, and now have another. */
export function edited(given: ObservationGiven, spec: object): Observation {
  const { cluster } = anObservation({ ...given, spec: { ...given.spec, ...spec } });
  return { ...anObservation(given), cluster };
}

/** For tests: these members were given a version, and run it. */
export function running(version: string, seen: Observation, ...names: readonly string[]): Observation {
  return given(version, answering({ version }, seen, ...names), ...names);
}

/** For tests: these members were given a version; what they answer, if they do, is as before. */
export function given(version: string, seen: Observation, ...names: readonly string[]): Observation {
  const image = `${seen.cluster.spec.repository}:v${version}`;
  return changed(seen, names, (pod) => ({ ...pod, version, image }));
}

/** For tests: these members, or all, say something else of themselves, as far as they answer. */
export function answering(said: Partial<AnsweredStatus>, seen: Observation, ...names: readonly string[]): Observation {
  return changed(seen, names.length > 0 ? names : seen.pods.map(({ name }) => name), (pod) => {
    const { status } = pod.answer;
    return { ...pod, answer: { ...pod.answer, ...(status && { status: { ...status, ...said } }) } };
  });
}

/**
 * For tests: the status of a cluster whose members were last seen running these versions, and not healthy since, if
 * ever.
 */
export function noted(versions: Readonly<Record<string, string>>, notHealthySince?: string): EtcdClusterStatus {
  return {
    clusterID: CLUSTER_ID,
    incarnation: 1,
    phase: "Running",
    currentVersion: Object.values(versions)[0] ?? "",
    memberStatus: Object.entries(versions).map(([name, version]) => ({
      name,
      id: name,
      role: "Follower",
      health: "Unknown",
      version,
      ...(notHealthySince !== undefined && { notHealthySince }),
    })),
  };
}

function changed(seen: Observation, names: readonly string[], change: (pod: PodSeen) => PodSeen): Observation {
  return { ...seen, pods: seen.pods.map((pod) => (names.includes(pod.name) ? change(pod) : pod)) };
}
