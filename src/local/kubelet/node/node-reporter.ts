import { readFileSync } from "node:fs";
import { arch, release } from "node:os";
import type { Lease } from "kubernetes-types/coordination/v1.d.ts";
import { type Clock, pause } from "../../../kubernetes/clock.ts";
import type { KubeObject, Stored } from "../../../kubernetes/kube-object.ts";
import { hasCode } from "../../../kubernetes/kubernetes-error.ts";
import { resources } from "../../../kubernetes/resources.ts";
import type { KubeClient } from "../../../kubernetes/rest-client.ts";
import type { LocalConfig } from "../../config.ts";
import type { MachineSize } from "../env/pod-field.ts";
import { messageOf } from "../kubelet-error.ts";
import { type NodeFacts, nodeObject, nodeStatus } from "./node-object.ts";

export interface NodeReporterOptions {
  readonly config: LocalConfig;
  readonly machine: MachineSize;
  readonly client: Pick<KubeClient, "get" | "create" | "patch" | "patchStatus">;
  readonly clock: Clock;
  readonly log: (message: string) => void;
}

const leaseNamespace = "kube-node-lease";
const heartbeatMs = 10_000;
const leaseSeconds = 40;
const retryMs = 500;
/** The Lease is the heartbeat; the whole status is only written now and then. */
const beatsPerStatus = 30;

/** Registers the node, then says every ten seconds that it lives, until aborted. */
export async function reportNode(options: NodeReporterOptions, signal: AbortSignal): Promise<void> {
  for (let beat = 0; !signal.aborted; ) {
    try {
      if (beat % beatsPerStatus === 0) await writeNode(options, signal);
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

async function writeNode({ config, machine, client, clock }: NodeReporterOptions, signal: AbortSignal): Promise<void> {
  const facts: NodeFacts = {
    config,
    machine,
    arch: arch(),
    kernelVersion: release(),
    bootId: bootId(),
    now: clock.now(),
  };
  const node =
    (await found(client.get(resources.nodes, { name: config.nodeName }, { signal }))) ??
    (await client.create(resources.nodes, nodeObject(facts), { signal }));
  // A patch: controllers of the cluster write to the same object.
  const merge = { status: nodeStatus(facts, node.status) };
  await client.patchStatus(resources.nodes, { name: config.nodeName }, { merge }, { signal });
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
