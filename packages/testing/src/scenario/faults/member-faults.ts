import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { KubeObject, ObjectRef, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { podProcesses } from "../../local/pod-processes.ts";
import { isRunning } from "../../process/process-state.ts";
import { until } from "../../until.ts";
import type { ClusterScenario } from "../cluster-scenario.ts";

type World = Pick<ClusterScenario, "local" | "client">;
interface Named {
  readonly metadata: ObjectRef;
}

/** Sends a signal to the etcd of a pod; after SIGKILL it waits until that process is gone. */
export async function signalEtcd(world: World, pod: Stored<Pod>, signal: NodeJS.Signals): Promise<void> {
  const [pid] = await podProcesses(world.local.stateDir, pod.metadata.uid, "/usr/local/bin/etcd");
  if (pid === undefined) throw new Error(`pod ${pod.metadata.name} runs no etcd`);
  process.kill(pid, signal);
  if (signal === "SIGKILL") await until(async () => !(await isRunning(pid)), { what: "etcd to die" });
}

/** Deletes pods as a user would, all at once, and waits until each of these very pods is gone. */
export async function deletePods(world: World, pods: readonly Stored<Pod>[], graceSeconds?: number): Promise<void> {
  await Promise.all(
    pods.map(({ metadata }) =>
      world.client.delete(resources.pods, metadata, {
        preconditions: { uid: metadata.uid },
        ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
      }),
    ),
  );
  await Promise.all(pods.map((pod) => podIsGone(world, pod)));
}

export async function podIsGone({ client }: World, { metadata }: Stored<KubeObject>): Promise<void> {
  const isGone = () =>
    client.get(resources.pods, metadata).then(
      ({ metadata: { uid } }) => uid !== metadata.uid,
      (error: unknown) => hasCode(error, "not-found"),
    );
  await until(isGone, { what: `pod ${metadata.name} to be gone`, timeoutMs: 60_000 });
}

/** The folder in which local mode keeps the data of a claim; that of a member has the name of its pod. */
export async function volumeFolder({ client, local }: World, { metadata }: Named): Promise<string> {
  const { spec } = await client.get(resources.persistentVolumeClaims, metadata);
  if (!spec?.volumeName) throw new Error(`claim ${metadata.name} has no volume`);
  return join(local.stateDir, "volumes", spec.volumeName);
}

/** Leaves a volume as empty as a new one. */
export async function wipe(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
}

/** Lets two volumes trade what is in them. */
export async function swap(one: string, other: string): Promise<void> {
  const aside = await mkdtemp(join(one, "..", "aside-"));
  await moveAll(one, aside);
  await moveAll(other, one);
  await moveAll(aside, other);
  await rm(aside, { recursive: true });
}

async function moveAll(from: string, to: string): Promise<void> {
  for (const name of await readdir(from)) await rename(join(from, name), join(to, name));
}
