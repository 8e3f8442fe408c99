import type { Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import { KubeletError } from "@etcd-operator/local-kubernetes/kubelet/kubelet-error.ts";
import type { Pod, Volume } from "kubernetes-types/core/v1.d.ts";
import type { Disk } from "../etcd/disk.ts";
import type { NodeContext } from "./node-context.ts";

/**
 * The volumes of a pod by their names. Those with content of the API have none here, but that content has to be there.
 */
export async function mountVolumes(context: NodeContext, pod: Stored<Pod>): Promise<ReadonlyMap<string, Disk>> {
  const volumes = pod.spec?.volumes ?? [];
  const mounted = await Promise.all(
    volumes.map(async (volume) => [volume.name, await mount(context, pod, volume)] as const),
  );
  return new Map(mounted.flatMap(([name, disk]) => (disk ? [[name, disk] as const] : [])));
}

export function emptyDirId({ metadata }: Stored<Pod>, volume: string): string {
  return `empty-dir:${metadata.uid}/${volume}`;
}

async function mount(context: NodeContext, pod: Stored<Pod>, volume: Volume): Promise<Disk | undefined> {
  const { client, etcd, usersElsewhere } = context;
  const { namespace } = pod.metadata;
  const { secret, persistentVolumeClaim: claim, emptyDir } = volume;
  if (emptyDir) return etcd.disk(emptyDirId(pod, volume.name));
  if (secret && !secret.optional) {
    await needed(
      client.get(resources.secrets, { namespace, name: secret.secretName ?? "" }),
      `secret "${secret.secretName}"`,
    );
  }
  if (!claim) return undefined;
  const what = `persistentvolumeclaim "${claim.claimName}"`;
  const { spec, status } = await needed(
    client.get(resources.persistentVolumeClaims, { namespace, name: claim.claimName }),
    what,
  );
  if (status?.phase !== "Bound" || !spec?.volumeName) throw new KubeletError("missing-object", `${what} is not bound`);
  const id = volumeId(spec.volumeName);
  const users = usersElsewhere(id, pod.spec?.nodeName ?? "");
  if (users.length > 0) throw new KubeletError("volume-in-use", `Volume is already used by pod(s) ${users.join(", ")}`);
  const disk = etcd.disk(id);
  if (disk.isLost) throw new KubeletError("missing-object", `there is no volume ${spec.volumeName}`);
  return disk;
}

/** The volume behind a PersistentVolume. */
export function volumeId(volumeName: string): string {
  return `volume:${volumeName}`;
}

async function needed<T>(asked: Promise<T>, what: string): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!hasCode(error, "not-found")) throw error;
    throw new KubeletError("missing-object", `${what} not found`);
  }
}
