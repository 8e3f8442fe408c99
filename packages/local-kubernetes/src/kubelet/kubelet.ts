import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { EventRecorder, Informer, messageOf, resources, systemClock } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { KubeletConfig } from "../config.ts";
import { findImage } from "../images/find-image.ts";
import { type BackOffLimits, standardBackOff } from "./back-off.ts";
import { ImageStore } from "./image-store.ts";
import { IpPool } from "./ip-pool.ts";
import { removeOldFolders } from "./leftovers.ts";
import { reportNode } from "./node/node-reporter.ts";
import type { KubeletClient, NodeContext } from "./node-context.ts";
import { PodWorker } from "./pod-worker.ts";
import { machineLayout } from "./sandbox/machine-layout.ts";
import { startKubeletServer } from "./server/kubelet-server.ts";
import { TokenSource } from "./volumes/token-source.ts";

export interface KubeletOptions {
  readonly client: KubeletClient;
  /** Stops the node: its processes end, the pods' objects and data stay. */
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  /** Shorter for tests. */
  readonly backOff?: BackOffLimits;
  readonly refreshMs?: number;
}

export interface Kubelet {
  /** Resolves when nothing of it runs any more. */
  readonly closed: Promise<void>;
}

const usualRefreshMs = 10_000;

/** Runs the pods that are bound to this node, from a clean start: whatever an earlier kubelet ran is gone. */
export async function startKubelet(config: KubeletConfig, options: KubeletOptions): Promise<Kubelet> {
  const { client, signal, log } = options;
  const context = nodeContext(config, options);
  const workers = new Map<string, { worker: PodWorker; done: Promise<void> }>();
  const find = (namespace: string, name: string) =>
    [...workers.values()].map(({ worker }) => worker).find((worker) => worker.name === `${namespace}/${name}`);
  const server = await startKubeletServer(config, { find, signal, log });
  const complain = (error: unknown) => log(`removing what is left of old pods: ${messageOf(error)}`);
  const informer = new Informer<Pod>({
    client,
    resource: resources.pods,
    fieldSelector: `spec.nodeName=${config.nodeName}`,
    onError: (error) => log(`watching pods: ${messageOf(error)}`),
  });
  informer.onChange((change) => {
    if (change.type === "synced") void removeOldFolders(config.stateDir, client, signal).catch(complain);
    else follow(workers, context, signal, change);
  });
  const running = Promise.all([informer.run(signal), reportNode({ ...context }, signal)]);
  const closed = running.then(async () => {
    await Promise.all([...workers.values()].map(({ done }) => done));
    await Promise.all([server.closed, context.events.flush()]);
  });
  return { closed };
}

type Workers = Map<string, { worker: PodWorker; done: Promise<void> }>;
type PodChange = { type: "added" | "modified" | "deleted"; object: Stored<Pod>; old?: Stored<Pod> };

/** Hands a pod's change to the one who works on it. A pod is its uid: one of the same name may be another. */
function follow(workers: Workers, context: NodeContext, signal: AbortSignal, change: PodChange): void {
  const { object, old } = change;
  const { uid } = object.metadata;
  if (old && old.metadata.uid !== uid) workers.get(old.metadata.uid)?.worker.vanish();
  const known = workers.get(uid);
  if (change.type === "deleted") known?.worker.vanish();
  else if (known) known.worker.update(object);
  else {
    const worker = new PodWorker(context, object);
    const done = worker.run(signal).finally(() => workers.delete(uid));
    workers.set(uid, { worker, done });
  }
}

function nodeContext(config: KubeletConfig, options: KubeletOptions): NodeContext {
  const { client, signal, log, backOff = standardBackOff, refreshMs = usualRefreshMs } = options;
  const clock = systemClock;
  const lastAddress = join(config.stateDir, "kubelet", config.nodeName, "last-address");
  return {
    ...{ config, client, clock, backOff, refreshMs, log },
    events: new EventRecorder({
      ...{ client, component: "kubelet", instance: config.nodeName, signal, clock },
      onError: (error) => log(`writing an Event: ${messageOf(error)}`),
    }),
    images: new ImageStore((image, tell) => findImage(image, { signal, tell }), clock.now, backOff),
    ips: new IpPool(config.nodePodCidr, [config.bridgeIp, config.nodeIp], lastAddress),
    tokens: new TokenSource(client, clock),
    layout: machineLayout(),
    machine: { cpu: availableParallelism(), memoryBytes: totalmem() },
  };
}
