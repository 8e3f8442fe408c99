import type { Stored } from "@etcd-operator/kubernetes-client";
import type { ContainerStateTerminated, ContainerStatus, Pod } from "kubernetes-types/core/v1.d.ts";
import { RESTORE_UID_ANNOTATION } from "../../api/restore-request.ts";
import { RECEIVE_CONTAINER, RESTORE_CONTAINER } from "../../transfer/names.ts";
import type { ContainerSeen, FailingContainer, SeedSeen } from "../observation.ts";

/** The pod that is being restored for an attempt, among the pods of its cluster. */
export function seedSeen(pods: readonly Stored<Pod>[], clusterUid: string, attempt: string): SeedSeen | undefined {
  const pod = pods.find(
    ({ metadata }) =>
      metadata.annotations?.[RESTORE_UID_ANNOTATION] === attempt &&
      metadata.deletionTimestamp === undefined &&
      metadata.ownerReferences?.some(({ uid }) => uid === clusterUid),
  );
  if (!pod) return undefined;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const all = [...initContainerStatuses, ...containerStatuses];
  return {
    name: pod.metadata.name,
    uid: pod.metadata.uid,
    receive: containerSeen(all.find(({ name }) => name === RECEIVE_CONTAINER)),
    restore: containerSeen(all.find(({ name }) => name === RESTORE_CONTAINER)),
    failing: all.map(failing).find((each) => each !== undefined),
    trouble: troubleOf(pod, all),
  };
}

function containerSeen(status: ContainerStatus | undefined): ContainerSeen {
  const { running, terminated } = status?.state ?? {};
  if (running) return "running";
  if (!terminated) return "waiting";
  return terminated.exitCode === 0 ? "succeeded" : "failed";
}

/** A container that has not ended well since it last ended badly. */
function failing({ name, state, lastState, restartCount }: ContainerStatus): FailingContainer | undefined {
  const now = state?.terminated;
  if (now?.exitCode === 0) return undefined;
  const ended = now ?? lastState?.terminated;
  if (!ended || ended.exitCode === 0) return undefined;
  // While it runs again, how it ended last still counts: it may do so again.
  return { name, times: now ? restartCount + 1 : restartCount, message: ending(ended) };
}

// Every start goes through these.
const NORMAL_WAITS: readonly (string | undefined)[] = [undefined, "PodInitializing", "ContainerCreating"];

function troubleOf({ status }: Pod, containers: readonly ContainerStatus[]): string | undefined {
  const scheduling = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduling?.status === "False") return sentence("it cannot be scheduled", scheduling.message);
  for (const container of containers) {
    const fails = failing(container);
    if (fails) return `container '${fails.name}' failed: ${fails.message}`;
    const { waiting } = container.state ?? {};
    if (waiting && !NORMAL_WAITS.includes(waiting.reason)) {
      return sentence(`container '${container.name}' cannot start: ${waiting.reason}`, waiting.message);
    }
  }
  return undefined;
}

function ending({ exitCode, message }: ContainerStateTerminated): string {
  return sentence(`exit code ${exitCode}`, message);
}

const LONGEST = 500;

function sentence(what: string, message: string | undefined): string {
  const end = endOf(message ?? "");
  return end ? `${what}: ${end}` : what;
}

/** The end of a log says why it ended: as many of its last lines as there is room for, or as much of the last one. */
function endOf(text: string): string {
  const lines = text.split("\n").map((line) => line.replace(/\s+/g, " ").trim());
  const said = lines.filter((line) => line !== "");
  for (let from = 0; from < said.length; from += 1) {
    const rest = said.slice(from).join(" ");
    if (rest.length <= LONGEST) return from === 0 ? rest : `… ${rest}`;
  }
  return said.length === 0 ? "" : `…${said.at(-1)?.slice(-LONGEST)}`;
}
