import { readFileSync } from "node:fs";
import { arch, release } from "node:os";
import type { EventRecorder, KubeClient, KubeObject, Stored } from "@etcd-operator/kubernetes-client";
import { type Clock, hasCode, messageOf, pause, resources } from "@etcd-operator/kubernetes-client";
import type { Lease } from "kubernetes-types/coordination/v1.d.ts";
import type { Node } from "kubernetes-types/core/v1.d.ts";
import type { KubeletConfig } from "../../config.ts";
import type { MachineSize } from "../env/pod-field.ts";
import { type NodeFacts, nodeLabels, nodeObject, nodeStatus } from "./node-object.ts";

export interface NodeReporterOptions {
  readonly config: KubeletConfig;
  readonly machine: MachineSize;
  readonly client: Pick<KubeClient, "get" | "create" | "patch" | "patchStatus">;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, "record">;
  readonly log: (message: string) => void;
}

const leaseNamespace = "kube-node-lease";
const heartbeatMs = 10_000;
const leaseSeconds = 40;
const retryMs = 500;
/** The Lease is the heartbeat; the whole status is only written now and then, or when another client changed it. */
const beatsPerStatus = 30;

/** Registers the node, then says every ten seconds that it lives, until aborted. */
export async function reportNode(options: NodeReporterOptions, signal: AbortSignal): Promise<void> {
  for (let beat = 0; !signal.aborted; ) {
    try {
      if (beat === 0) await register(options, signal);
      else await keepStatus(options, beat % beatsPerStatus === 0, signal);
      await renewLease(options, signal);
      beat += 1;
      await pause(options.clock, heartbeatMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      options.log(`could not report the node: ${messageOf(error)}`);
      await pause(options.clock, retryMs, signal);
    }
  }
}

/** Once in a kubelet's life: a node that is deleted under it comes back with the next one. */
async function register(options: NodeReporterOptions, signal: AbortSignal): Promise<void> {
  const { config, client } = options;
  const facts = factsOf(options);
  const node =
    (await found(client.get(resources.nodes, { name: config.nodeName }, { signal }))) ??
    (await client.create(resources.nodes, nodeObject(facts), { signal }));
  const labels = nodeLabels(facts);
  const isLabelled = Object.entries(labels).every(([key, value]) => node.metadata.labels?.[key] === value);
  const merge = { metadata: { labels } };
  if (!isLabelled) await client.patch(resources.nodes, { name: config.nodeName }, { merge }, { signal });
  await writeStatus(options, node, signal);
}

/** Another may have given the node up meanwhile: then it is told at once that the node lives. */
async function keepStatus(options: NodeReporterOptions, isDue: boolean, signal: AbortSignal): Promise<void> {
  const { client, config } = options;
  const node = await found(client.get(resources.nodes, { name: config.nodeName }, { signal }));
  if (node && (isDue || !isReady(node))) await writeStatus(options, node, signal);
}

async function writeStatus(options: NodeReporterOptions, node: Stored<Node>, signal: AbortSignal): Promise<void> {
  // A patch: controllers of the cluster write to the same object.
  const { events } = options;
  const wasReady = isReady(node);
  const merge = { status: nodeStatus(factsOf(options), node.status) };
  await options.client.patchStatus(resources.nodes, { name: node.metadata.name }, { merge }, { signal });
  const message = `Node ${node.metadata.name} status is now: NodeReady`;
  if (!wasReady) events.record(node, { type: "Normal", reason: "NodeReady", message });
}

function isReady({ status }: Node): boolean {
  return (status?.conditions ?? []).some(({ type, status: is }) => type === "Ready" && is === "True");
}

function factsOf({ config, machine, clock }: NodeReporterOptions): NodeFacts {
  return { config, machine, arch: arch(), kernelVersion: release(), bootId: bootId(), now: clock.now() };
}

async function renewLease({ config, client, clock }: NodeReporterOptions, signal: AbortSignal): Promise<void> {
  const ref = { namespace: leaseNamespace, name: config.nodeName };
  const spec = {
    holderIdentity: config.nodeName,
    leaseDurationSeconds: leaseSeconds,
    renewTime: new Date(clock.now()).toISOString().replace("Z", "000Z"),
  };
  const renewed = await found(client.patch(resources.leases, ref, { merge: { spec } }, { signal }));
  if (renewed) return;
  const lease: Lease = { metadata: ref, spec };
  try {
    await client.create(resources.leases, lease, { signal });
  } catch (error) {
    if (!hasCode(error, "not-found")) throw error;
    await client.create(resources.namespaces, { metadata: { name: leaseNamespace } }, { signal });
    await client.create(resources.leases, lease, { signal });
  }
}

async function found<T extends KubeObject>(asked: Promise<Stored<T>>): Promise<Stored<T> | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (hasCode(error, "not-found")) return undefined;
    throw error;
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "unknown";
  }
}
