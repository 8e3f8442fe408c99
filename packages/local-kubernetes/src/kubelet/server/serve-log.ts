import { once } from "node:events";
import { existsSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { readLog } from "../logs/read-log.ts";
import { podPaths } from "../pod-paths.ts";
import type { PodWorker } from "../pod-worker.ts";
import type { LogQuery } from "./log-query.ts";

/** Answers with the log of a container's current run, or of the one before. */
export async function serveLog(
  stateDir: string,
  worker: PodWorker,
  name: string,
  query: LogQuery,
  response: ServerResponse,
): Promise<void> {
  const container = worker.container(name);
  const pod = worker.pod.metadata;
  if (!container) return refuse(response, 404, `container ${name} is not valid for pod ${pod.name}`);
  const { restartCount, hasRun, state } = container.record;
  const file = podPaths(stateDir, pod.uid).log(name, restartCount - (query.isPrevious ? 1 : 0));
  if (query.isPrevious && !existsSync(file)) {
    return refuse(response, 400, `previous terminated container "${name}" in pod "${pod.name}" not found`);
  }
  if (!hasRun) {
    const reason = (state.kind === "waiting" && state.reason) || "ContainerCreating";
    return refuse(response, 400, `container "${name}" in pod "${pod.name}" is waiting to start: ${reason}`);
  }
  const live = query.isFollowing && !query.isPrevious ? container.running?.log : undefined;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.writeHead(200, { "Content-Type": "text/plain" });
  response.flushHeaders();
  for await (const text of readLog(file, query, live, gone.signal)) {
    if (!response.write(text)) await once(response, "drain", { signal: gone.signal });
  }
  response.end();
}

export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "Content-Type": "text/plain" });
  response.end(message);
}
