import { type JsonObject, type KubeObject, listIn, numberIn, objectIn, textIn } from "../kube-object.ts";
import { ageColumn, ageOf, column, nameColumn, wide } from "./column.ts";

export const podColumns = [
  nameColumn,
  column("Ready", readyCount),
  column("Status", podStatus),
  column("Restarts", restarts),
  ageColumn,
  wide("IP", (pod) => textIn(pod, "status", "podIP") || "<none>"),
  wide("Node", (pod) => textIn(pod, "spec", "nodeName") || "<none>"),
  wide("Nominated Node", (pod) => textIn(pod, "status", "nominatedNodeName") || "<none>"),
  wide("Readiness Gates", readinessGates),
];

function readyCount(pod: KubeObject): string {
  const statuses = listIn(pod, "status", "containerStatuses");
  const ready = statuses.filter((status) => status.ready === true && status.state !== undefined && isRunning(status));
  return `${ready.length}/${listIn(pod, "spec", "containers").length}`;
}

function isRunning(status: JsonObject): boolean {
  return objectIn(status, "state").running !== undefined;
}

/** One word for how a pod is: its phase, or what keeps its containers from running. */
export function podStatus(pod: KubeObject): string {
  const reason =
    initReason(pod) ?? containerReason(pod) ?? (textIn(pod, "status", "reason") || textIn(pod, "status", "phase"));
  if (!pod.metadata.deletionTimestamp) return reason;
  return textIn(pod, "status", "reason") === "NodeLost" ? "Unknown" : "Terminating";
}

function initReason(pod: KubeObject): string | undefined {
  const inits = listIn(pod, "spec", "initContainers");
  const statuses = listIn(pod, "status", "initContainerStatuses");
  for (const [index, { state }] of statuses.entries()) {
    const { terminated, waiting } = (state ?? {}) as Record<string, JsonObject | undefined>;
    if (terminated?.exitCode === 0) continue;
    if (terminated) return `Init:${terminationReason(terminated)}`;
    if (waiting?.reason && waiting.reason !== "PodInitializing") return `Init:${waiting.reason}`;
    return `Init:${index}/${inits.length}`;
  }
  return undefined;
}

function terminationReason({ reason, signal, exitCode }: JsonObject): string {
  if (reason) return String(reason);
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;
}

function containerReason(pod: KubeObject): string | undefined {
  const statuses = listIn(pod, "status", "containerStatuses");
  const reasons = statuses.flatMap((status) => {
    const { terminated, waiting } = objectIn(status, "state") as Record<string, JsonObject | undefined>;
    if (waiting?.reason) return [String(waiting.reason)];
    return terminated ? [terminationReason(terminated)] : [];
  });
  const [first] = reasons;
  if (first !== "Completed" || !statuses.some(isRunning)) return first;
  const isReady = listIn(pod, "status", "conditions").some(({ type, status }) => type === "Ready" && status === "True");
  return isReady ? "Running" : "NotReady";
}

function restarts(pod: KubeObject, now: Date): string {
  const statuses = listIn(pod, "status", "containerStatuses");
  const count = statuses.reduce((sum, status) => sum + numberIn(status, "restartCount"), 0);
  const ends = statuses.map((status) => textIn(status, "lastState", "terminated", "finishedAt")).filter(Boolean);
  const last = ends.sort().at(-1);
  return count > 0 && last ? `${count} (${ageOf(last, now)} ago)` : String(count);
}

function readinessGates(pod: KubeObject): string {
  const gates = listIn(pod, "spec", "readinessGates");
  if (gates.length === 0) return "<none>";
  const conditions = listIn(pod, "status", "conditions");
  const open = gates.filter(({ conditionType }) =>
    conditions.some(({ type, status }) => type === conditionType && status === "True"),
  );
  return `${open.length}/${gates.length}`;
}
