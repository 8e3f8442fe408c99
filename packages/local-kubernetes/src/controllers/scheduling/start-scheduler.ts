import { keyOf, pathOf, refOf, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolume, PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import { claimsOf, isFinished } from "../pod-facts.ts";
import { type Again, WorkQueue } from "../work-queue.ts";
import { claimsState, SELECTED_NODE } from "./claims.ts";
import { placement, refusedEverywhere } from "./placement.ts";
import type { Scene } from "./scene.ts";

/** Chooses a node for every pod that has none. */
export function startScheduler(context: ControllerContext): void {
  const { informers, signal, log } = context;
  const scheduler = new Scheduler(context);
  // One after another: each decision counts on the ones before it.
  const queue = new WorkQueue({ name: "scheduler", signal, log, parallel: 1, work: (key) => scheduler.schedule(key) });
  const retry = (isConcerned: (pod: Pod) => boolean = () => true) => {
    for (const pod of informers.pods.cache.list()) if (isOurs(pod) && isConcerned(pod)) queue.add(keyOf(pod.metadata));
  };
  informers.pods.onChange((change) => {
    if (change.type === "synced") return;
    if (change.type !== "deleted" && isOurs(change.object)) queue.add(keyOf(change.object.metadata));
    // It may have freed what others wait for.
    if (change.type === "deleted" || isFinished(change.object)) retry();
    // It may be the neighbour that others wait for.
    else if (change.type === "added" || isNewNeighbour(change.old, change.object)) retry(looksAtNeighbours);
  });
  informers.nodes.onChange((change) => {
    if (change.type !== "modified" || hasNews(change.old, change.object)) retry();
  });
  informers.namespaces.onChange((change) => {
    if (change.type === "modified") retry(looksAtNeighbours);
  });
  informers.persistentVolumeClaims.onChange(() => retry());
  informers.persistentVolumes.onChange((change) => {
    if (change.type === "added") retry((pod) => claimsOf(pod).length > 0);
  });
  informers.storageClasses.onChange(() => retry());
}

function looksAtNeighbours({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return (
    podAffinity !== undefined || podAntiAffinity !== undefined || (spec?.topologySpreadConstraints ?? []).length > 0
  );
}

function isNewNeighbour(old: Stored<Pod>, now: Stored<Pod>): boolean {
  if (!now.spec?.nodeName) return false;
  const facts = ({ metadata, spec }: Stored<Pod>) =>
    JSON.stringify([spec?.nodeName, metadata.labels, metadata.deletionTimestamp]);
  return facts(old) !== facts(now);
}

function isOurs({ spec, metadata }: Stored<Pod>): boolean {
  const isWaiting = !spec?.nodeName && !metadata.deletionTimestamp && !spec?.schedulingGates?.length;
  return isWaiting && (spec?.schedulerName ?? "default-scheduler") === "default-scheduler";
}

/** Heartbeats come all the time and change nothing. */
function hasNews(old: Scene["nodes"][number], now: Scene["nodes"][number]): boolean {
  const facts = ({ metadata, spec, status }: Scene["nodes"][number]) =>
    JSON.stringify([metadata.labels, spec, status?.allocatable, status?.conditions?.map((it) => [it.type, it.status])]);
  return facts(old) !== facts(now);
}

class Scheduler {
  readonly #context: ControllerContext;
  /** Where pods were bound to, by uid, until the cache shows it. */
  readonly #assumed = new Map<string, string>();
  /** Where pods will be once they have their volumes. */
  readonly #reserved = new Map<string, string>();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  async schedule(key: string): Promise<Again | undefined> {
    const { informers, signal } = this.#context;
    const { pods, nodes, namespaces, persistentVolumeClaims, persistentVolumes, storageClasses } = informers;
    const caches = [pods, nodes, namespaces, persistentVolumeClaims, persistentVolumes, storageClasses];
    await Promise.all(caches.map(({ cache }) => cache.waitForSync(signal)));
    const pod = pods.cache.get(refOf(key));
    if (!pod || !isOurs(pod) || this.#assumed.has(pod.metadata.uid)) return undefined;

    const claimNamed = (name: string) => persistentVolumeClaims.cache.get({ namespace: pod.metadata.namespace, name });
    const claims = claimsState(pod, claimNamed, (name) => storageClasses.cache.get({ name }));
    if (claims.kind === "obstacle") return this.#refuse(pod, refusedEverywhere(claims.message, nodes.cache.size));
    const names = claimsOf(pod).flatMap((name) => claimNamed(name)?.spec?.volumeName || []);
    const volumes = names.flatMap((name) => persistentVolumes.cache.get({ name }) ?? []);
    // The claim was faster than its volume, which comes in a moment and wakes us.
    if (volumes.length < names.length) return undefined;

    const place = placement(pod, this.#sceneFor(pod, volumes));
    if ("unschedulable" in place) return this.#refuse(pod, place.unschedulable);
    if (claims.kind === "bound") return this.#bind(pod, place.node);
    this.#reserved.set(pod.metadata.uid, place.node);
    await Promise.all(claims.claims.map((claim) => this.#selectNode(place.node, claim)));
    return undefined;
  }

  #sceneFor(pod: Stored<Pod>, volumes: readonly Stored<PersistentVolume>[]): Scene {
    const { informers } = this.#context;
    const pods = informers.pods.cache.list();
    const unseen = new Set(pods.filter(({ spec }) => !spec?.nodeName).map(({ metadata }) => metadata.uid));
    for (const known of [this.#assumed, this.#reserved])
      for (const uid of known.keys()) if (!unseen.has(uid)) known.delete(uid);
    this.#reserved.delete(pod.metadata.uid);
    const withNode = (other: Stored<Pod>): Stored<Pod> => {
      const nodeName = this.#assumed.get(other.metadata.uid) ?? this.#reserved.get(other.metadata.uid);
      return nodeName === undefined || !other.spec ? other : { ...other, spec: { ...other.spec, nodeName } };
    };
    const [nodes, namespaces] = [informers.nodes.cache.list(), informers.namespaces.cache.list()];
    return { nodes, namespaces, volumes, pods: pods.map(withNode) };
  }

  /** Tells the provisioner where the volume will be needed; the pod is looked at again when it is there. */
  async #selectNode(node: string, { metadata }: Stored<PersistentVolumeClaim>): Promise<void> {
    if (metadata.annotations?.[SELECTED_NODE] === node) return;
    const { client, signal } = this.#context;
    const merge = { metadata: { annotations: { [SELECTED_NODE]: node }, resourceVersion: metadata.resourceVersion } };
    await client.patch(resources.persistentVolumeClaims, metadata, { merge }, { signal });
  }

  async #bind(pod: Stored<Pod>, node: string): Promise<undefined> {
    const { client, events, signal } = this.#context;
    const { name, namespace = "", uid } = pod.metadata;
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { apiVersion: "v1", kind: "Node", name: node },
    };
    await client.request("POST", pathOf(resources.pods, { namespace, name, subresource: "binding" }), { body, signal });
    this.#assumed.set(uid, node);
    const message = `Successfully assigned ${namespace}/${name} to ${node}`;
    events.record(pod, { type: "Normal", reason: "Scheduled", message });
    return undefined;
  }

  async #refuse(pod: Stored<Pod>, message: string): Promise<undefined> {
    const { client, events, signal } = this.#context;
    const old = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (old?.status === "False" && old.message === message) return undefined;
    const since = old?.status === "False" ? old.lastTransitionTime : new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
    const conditions = [{ ...condition, lastProbeTime: null, lastTransitionTime: since }];
    await client.patchStatus(resources.pods, pod.metadata, { strategic: { status: { conditions } } }, { signal });
    events.record(pod, { type: "Warning", reason: "FailedScheduling", message });
    return undefined;
  }
}
