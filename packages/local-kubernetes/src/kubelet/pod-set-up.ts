import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { vethName } from "../network-names.ts";
import type { PodRun } from "./container-launch.ts";
import { hostnameOf } from "./etc-files.ts";
import { KubeletError } from "./kubelet-error.ts";
import { removeOldCard } from "./leftovers.ts";
import type { NodeContext } from "./node-context.ts";
import { podPaths } from "./pod-paths.ts";
import { type Sandbox, startSandbox } from "./sandbox/sandbox.ts";
import { checkVolumesAreFree } from "./volumes/exclusive-volumes.ts";
import { prepareVolumes } from "./volumes/pod-volumes.ts";

/** Everything of a pod that its containers share: volumes, namespaces, address. */
export interface PodSetUp extends PodRun {
  readonly sandbox: Sandbox;
}

/** Makes the volumes, then the namespaces with the pod's network card. */
export async function setUpPod(context: NodeContext, pod: Stored<Pod>): Promise<PodSetUp> {
  const { config, ips } = context;
  const { uid } = pod.metadata;
  const paths = podPaths(config.stateDir, uid);
  await checkVolumesAreFree(context, pod);
  mkdirSync(paths.dir, { recursive: true });
  const podIp = ips.take();
  try {
    const volumes = await prepareVolumes(context, pod, podIp);
    const veth = vethName(config.instance, uid);
    await removeOldCard(veth);
    const sandbox = await startSandbox({
      hostname: hostnameOf(pod),
      ip: podIp,
      // All pods are neighbours, on whichever node they are.
      prefixLength: Number(config.podCidr.split("/")[1]),
      gateway: config.bridgeIp,
      bridge: config.bridge,
      veth,
    });
    writeFileSync(paths.sandboxPid, `${sandbox.pid}\n`);
    return { sandbox, sandboxPid: sandbox.pid, podIp, volumes };
  } catch (error) {
    ips.giveBack(podIp);
    throw error;
  }
}

/** The reason of the Event about a pod that could not be set up. */
export function setUpFailure(error: unknown): string {
  if (!(error instanceof KubeletError)) return "FailedCreatePodSandBox";
  if (error.code === "volume-in-use") return "FailedAttachVolume";
  return error.message.startsWith("MountVolume") ? "FailedMount" : "FailedCreatePodSandBox";
}

/** Ends every process of a pod that is left, and gives its address back. */
export async function tearDownPod(
  { config, ips }: NodeContext,
  uid: string,
  { sandbox, podIp }: PodSetUp,
): Promise<void> {
  await sandbox.destroy();
  ips.giveBack(podIp);
  await rm(podPaths(config.stateDir, uid).sandboxPid, { force: true });
}
