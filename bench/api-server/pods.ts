import { pathOf } from "../../src/kubernetes/resource.ts";
import { resources } from "../../src/kubernetes/resources.ts";
import { type KubeClient, PAGE_SIZE } from "../../src/kubernetes/rest-client.ts";
import { NAMESPACE } from "./contestant.ts";
import { unscheduledPod } from "./unscheduled-pod.ts";

const PODS = 1_000;

const names = Array.from({ length: PODS }, (_, number) => `pod-${String(number).padStart(4, "0")}`);

/** Creates the pods, so many at a time. */
export async function createPods(client: KubeClient, atOnce: number): Promise<void> {
  await inParallel(atOnce, (name) => client.create(resources.pods, unscheduledPod(name)));
}

/** Gets the pods one request each, so many at a time. */
export async function getPods(client: KubeClient, atOnce: number): Promise<void> {
  await inParallel(atOnce, (name) => client.get(resources.pods, { namespace: NAMESPACE, name }));
}

/** Lists the pods in one piece, to the last byte; not parsed, for that is the client's work and the same for both. */
export async function listPods(client: KubeClient): Promise<void> {
  await drain(client, {});
}

/** Lists the pods as clients usually do, in pages. */
export async function listPodsInPages(client: KubeClient): Promise<void> {
  let text = await drain(client, { limit: PAGE_SIZE });
  for (let pages = 1; pages < PODS / PAGE_SIZE; pages += 1) {
    const token = /"continue":"([^"]+)"/.exec(text.slice(0, 1_000))?.[1];
    if (!token) throw new Error("the list ended before its last page");
    text = await drain(client, { limit: PAGE_SIZE, continue: token });
  }
}

export async function deletePods(client: KubeClient): Promise<void> {
  await client.deleteCollection(resources.pods, { namespace: NAMESPACE, gracePeriodSeconds: 0 });
  const left = await client.list(resources.pods, { namespace: NAMESPACE });
  if (left.items.length > 0) throw new Error(`${left.items.length} pods are left after the deletion of all`);
}

async function drain(client: KubeClient, query: Readonly<Record<string, string | number>>): Promise<string> {
  const chunks: Uint8Array[] = [];
  const path = pathOf(resources.pods, { namespace: NAMESPACE });
  for await (const chunk of client.stream("GET", path, { query, accept: "application/json" })) chunks.push(chunk);
  return Buffer.concat(chunks).toString("latin1");
}

async function inParallel(atOnce: number, act: (name: string) => Promise<unknown>): Promise<void> {
  const waiting = names.values();
  const worker = async () => {
    for (const name of waiting) await act(name);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
