import { setTimeout as pause } from "node:timers/promises";
import type { ApiContext } from "./api-context.ts";
import { type KubeObject, textIn } from "./kube-object.ts";
import { remove } from "./verbs/delete.ts";

const EVERY_MS = 5 * 60_000;
const LIFETIME_MS = 60 * 60_000;

/** Removes Events an hour after they last happened, as every Kubernetes does. */
export async function expireEvents(api: ApiContext, signal: AbortSignal): Promise<void> {
  const events = api.registry.find("", "v1", "events");
  while (events && !signal.aborted) {
    await pause(EVERY_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      const old = (await api.admission.list("", "events")).filter((event) => isOver(event, api.admission.now()));
      for (const { metadata } of old) {
        const target = { resource: events, namespace: metadata.namespace, name: metadata.name ?? "" };
        await remove(api, target, { isDryRun: false, uid: metadata.uid ?? "" });
      }
    } catch {
      // Gone already, or the store is away: the next round looks again.
    }
  }
}

export function isOver(event: KubeObject, now: Date): boolean {
  const times = [
    event.metadata.creationTimestamp ?? "",
    textIn(event, "lastTimestamp"),
    textIn(event, "eventTime"),
    textIn(event, "series", "lastObservedTime"),
  ];
  const last = Math.max(...times.filter(Boolean).map((time) => Date.parse(time)));
  return last + LIFETIME_MS < now.getTime();
}
