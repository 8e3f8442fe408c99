import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { Backoff, type Clock, hasCode, pause, podTrouble, resources } from "@etcd-operator/kubernetes-client";
import type { WorkerEndpoint } from "@etcd-operator/object-store";
import { ObjectStoreError, type ObjectStoreErrorCode } from "@etcd-operator/object-store";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { WorkerReach } from "../worker-reach.ts";

interface Deps {
  readonly client: Pick<KubeClient, "get">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly answers: WorkerReach["answers"];
}

/** A volume may have to be made, found and attached first, and an image pulled. */
const DEADLINE_MS = 5 * 60_000;
// A volume that cannot be attached or mounted shows in Events only, which we may not read.
const NOT_STARTED = "has not started (see its Events: kubectl get events)";
const FIRST_PAUSE_MS = 100;
const LAST_PAUSE_MS = 500;

/**
 * Waits until a worker's pod runs and answers. Only this one pod is read, and only for a moment, so a watch is not
 * worth it.
 */
export async function awaitWorker(
  { client, clock, random, answers }: Deps,
  { metadata }: Stored<Pod>,
  endpointAt: (podIp: string) => WorkerEndpoint,
  signal: AbortSignal,
): Promise<WorkerEndpoint> {
  const operation = `start worker pod '${metadata.namespace}/${metadata.name}'`;
  const failure = (code: ObjectStoreErrorCode, message: string) => new ObjectStoreError(code, { operation, message });
  const backoff = new Backoff({ firstMs: FIRST_PAUSE_MS, lastMs: LAST_PAUSE_MS, random });
  const deadline = clock.monotonic() + DEADLINE_MS;
  let trouble: string | undefined;
  for (;;) {
    const pod = await client.get(resources.pods, metadata, { signal }).catch(unlessGone);
    // The caller that waited in vain needs the reason.
    if (signal.aborted) throw trouble ? failure("unavailable", trouble) : failure("aborted", "was cancelled");
    if (!pod) throw failure("unavailable", "it was deleted by another client; try again later");
    trouble = podTrouble(pod);
    if (hasEnded(pod)) throw failure("unavailable", trouble ?? "it ended; try again later");
    const endpoint = isRunning(pod) && pod.status?.podIP ? endpointAt(pod.status.podIP) : undefined;
    if (endpoint && (await answers(endpoint, signal))) return endpoint;
    if (clock.monotonic() >= deadline) {
      throw failure("unavailable", trouble ?? `it ${endpoint ? "does not answer" : NOT_STARTED} after 5 minutes`);
    }
    await pause(clock, backoff.nextMs(), signal);
  }
}

function unlessGone(error: unknown): undefined {
  if (!hasCode(error, "not-found", "canceled")) throw error;
}

function isRunning({ status }: Pod): boolean {
  return status?.containerStatuses?.some(({ state }) => state?.running !== undefined) ?? false;
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
