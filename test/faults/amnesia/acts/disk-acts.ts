import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { podProcesses } from "@etcd-operator/testing/local/pod-processes.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import { swap } from "@etcd-operator/testing/scenario/faults/member-faults.ts";
import type { PersistentVolume, Pod } from "kubernetes-types/core/v1.d.ts";
import type { Acts } from "../acts.ts";
import { copyVolume, cutCopyShort, damageVolume } from "../disk.ts";
import { type Stage, storageClassOf } from "../stage.ts";

type Kinds = "damage" | "keep" | "give" | "swap" | "neighbour" | "offer-volume";

/** What is done to the files of volumes. */
export const diskActs: Acts<Kinds> = {
  async damage(stage, { who, how }) {
    for (const role of who) await damageVolume(stage.actor(role).folder, how);
  },
  async keep(stage, { who, as }) {
    const pod = await stage.podOf(who).catch(() => undefined);
    await keepCopy(stage, pod, stage.actor(who).folder, as);
  },
  async give(stage, { who, copy, part }) {
    const { folder } = stage.actor(who);
    await copyVolume(copyOf(stage, copy), folder);
    if (part !== undefined) await cutCopyShort(folder, part);
  },
  swap: (stage, { who: [one, other] }) => swap(stage.actor(one).folder, stage.actor(other).folder),
  neighbour: (stage, { size, as }) => haveNeighbour(stage, size, as),
  "offer-volume": (stage, { copy }) => offerVolume(stage, copyOf(stage, copy)),
};

function copyOf(stage: Stage, name: string): string {
  const folder = stage.copies.get(name);
  if (!folder) throw new Error(`no copy is called '${name}'`);
  return folder;
}

/** As a snapshot of the storage does: all files of one moment. */
async function keepCopy(stage: Stage, pod: Stored<Pod> | undefined, folder: string, as: string): Promise<void> {
  const copy = join(stage.world.aside, `${stage.namespace}-${as}`);
  const { stateDir } = stage.world.local;
  const pids = pod ? await podProcesses(stateDir, pod.metadata.uid, "/usr/local/bin/etcd").catch(() => []) : [];
  const moving = pids.filter((pid) => !isFrozen(pid));
  for (const pid of moving) process.kill(pid, "SIGSTOP");
  try {
    await copyVolume(folder, copy);
  } finally {
    for (const pid of moving) process.kill(pid, "SIGCONT");
  }
  stage.copies.set(as, copy);
}

function isFrozen(pid: number): boolean {
  return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
}

async function haveNeighbour(stage: Stage, size: number, as: string): Promise<void> {
  const namespace = stage.secondNamespace;
  await stage.makeNamespace(namespace);
  await stage.createCluster(size, namespace);
  const neighbour = new ClusterUnderTest(stage.world.client, { name: stage.cluster.name, namespace });
  await neighbour.settled(size, 60_000);
  for (let count = 0; count < 20; count += 1) await neighbour.put(`neighbour/${count}`, "not of this cluster");
  const [pod] = await neighbour.pods();
  if (!pod) throw new Error("the neighbour has no pod");
  await keepCopy(stage, pod, await stage.folderOf(pod), as);
  await neighbour.delete();
  await neighbour.isGone();
}

/** A volume that is like those of the cluster, but of no member yet, and not empty. */
async function offerVolume(stage: Stage, copy: string): Promise<void> {
  const { client } = stage.world;
  const name = `${stage.namespace}-offered`;
  const path = join(stage.world.local.stateDir, "volumes", name);
  await copyVolume(copy, path);
  const volume: PersistentVolume = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name },
    spec: {
      accessModes: ["ReadWriteOnce"],
      capacity: { storage: "1Gi" },
      storageClassName: storageClassOf(stage.plan.name),
      persistentVolumeReclaimPolicy: "Retain",
      hostPath: { path, type: "DirectoryOrCreate" },
    },
  };
  await client.create(resources.persistentVolumes, volume);
}
