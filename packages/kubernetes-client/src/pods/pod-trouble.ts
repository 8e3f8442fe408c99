import type { ContainerStateTerminated, ContainerStatus, Pod } from "kubernetes-types/core/v1.d.ts";
import { lastWords } from "../status/last-words.ts";

/**
 * Why a pod does not run as it should, in the words of the scheduler or the kubelet; undefined when they name nothing.
 */
export function podTrouble({ metadata, status }: Pick<Pod, "metadata" | "status">): string | undefined {
  // What ends in it then was told to.
  if (metadata?.deletionTimestamp) return undefined;
  const scheduling = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (scheduling?.status === "False") return sentence("it cannot be scheduled", scheduling);
  if (status?.phase === "Failed" && status.reason) return sentence("it ended", status);
  const troubles = [
    ...(status?.initContainerStatuses ?? []).map((container) => containerTrouble(container, true)),
    ...(status?.containerStatuses ?? []).map((container) => containerTrouble(container, false)),
  ];
  return troubles.find((trouble) => trouble !== undefined);
}

/** What takes long in a start that goes as it should, in the kubelet's words; undefined where it names nothing. */
export function startProgress({ status }: Pick<Pod, "status">): string | undefined {
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const said = containers.map(
    ({ state }) => NORMAL_WAITS.includes(state?.waiting?.reason ?? "") && state?.waiting?.message,
  );
  return oneLine(said.find(Boolean) || undefined) || undefined;
}

// Every start goes through these.
const NORMAL_WAITS = ["PodInitializing", "ContainerCreating"];

function containerTrouble(container: ContainerStatus, isInit: boolean): string | undefined {
  const { state, lastState, ready } = container;
  const name = `container ${container.name}`;
  if (state?.waiting?.reason && !NORMAL_WAITS.includes(state.waiting.reason)) {
    // All that the kubelet says beside CrashLoopBackOff is how long it waits; how the container ended says more.
    const isCrashing = state.waiting.reason === "CrashLoopBackOff" && lastState?.terminated;
    return isCrashing
      ? `${name} keeps ending with ${ending(isCrashing)}`
      : sentence(`${name} cannot start`, state.waiting);
  }
  if (state?.terminated) {
    const isDone = isInit && state.terminated.exitCode === 0;
    return isDone ? undefined : `${name} ended with ${ending(state.terminated)}`;
  }
  // Once it is ready again, how it ended is history.
  const isBack = state?.running && !ready && lastState?.terminated;
  return isBack ? `${name} was started again after it ended with ${ending(isBack)}` : undefined;
}

function ending({ exitCode, reason, message }: ContainerStateTerminated): string {
  // These two only repeat the exit code.
  const isTelling = reason && reason !== "Error" && reason !== "Completed";
  return sentence(`exit code ${exitCode}${isTelling ? ` (${reason})` : ""}`, { message: lastWords(message) });
}

function sentence(what: string, { reason, message }: { reason?: string; message?: string | undefined }): string {
  return [what, reason, oneLine(message)].filter(Boolean).join(": ");
}

const LONGEST_MESSAGE = 300;

function oneLine(text: string | undefined): string {
  const line = (text ?? "").replace(/\s+/g, " ").trim();
  return line.length > LONGEST_MESSAGE ? `${line.slice(0, LONGEST_MESSAGE)}…` : line;
}
