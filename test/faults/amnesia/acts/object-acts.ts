import type { Resource, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import { ANNOTATIONS } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import type { Acts } from "../acts.ts";
import type { Stage } from "../stage.ts";
import type { Notes } from "../step.ts";

type Kinds = "delete-claims" | "remake-claims" | "delete-volumes" | "annotate" | "scale" | "recreate-cluster";

const { persistentVolumeClaims, persistentVolumes } = resources;

/** What is done to objects of the API, behind the operator's back or by the user's right. */
export const objectActs: Acts<Kinds> = {
  async "delete-claims"(stage, { who }) {
    for (const role of who) await stage.world.client.delete(persistentVolumeClaims, refOf(stage, stage.nameOf(role)));
  },
  async "remake-claims"(stage, { who, notes }) {
    for (const role of who) await remakeClaim(stage, stage.nameOf(role), notes);
  },
  async "delete-volumes"(stage, { who }) {
    for (const role of who) await deleteVolume(stage, stage.nameOf(role));
  },
  async annotate(stage, { on, who, notes }) {
    const resource: Resource = on === "pods" ? resources.pods : persistentVolumeClaims;
    const isOfAll = Object.values(notes).includes("every-member");
    const annotations = annotationsOf(stage, notes, isOfAll ? await everyMember(stage) : "");
    for (const role of who) {
      await stage.world.client.patch(resource, refOf(stage, stage.nameOf(role)), {
        merge: { metadata: { annotations } },
      });
    }
  },
  scale: (stage, { to }) => stage.cluster.changeSpec({ size: to }),
  async "recreate-cluster"(stage) {
    await stage.witness?.stop();
    await stage.cluster.delete();
    await stage.cluster.isGone();
    await stage.createCluster();
    await stage.cluster.settled(stage.plan.size, 60_000);
    await stage.startWitness("recreated");
  },
};

function refOf({ namespace }: Stage, name: string) {
  return { namespace, name };
}

/**
 * Under the same name, on a new volume; its notes as those of the old one, or without whose data it holds, or with none
 * of ours.
 */
async function remakeClaim(stage: Stage, name: string, notes: "copied" | "unidentified" | "none"): Promise<void> {
  const { client } = stage.world;
  const ref = refOf(stage, name);
  const old = await client.get(persistentVolumeClaims, ref);
  await client.delete(persistentVolumeClaims, ref, { preconditions: { uid: old.metadata.uid } });
  const isGone = () =>
    client.get(persistentVolumeClaims, ref).then(
      () => false,
      (error: unknown) => hasCode(error, "not-found"),
    );
  await until(isGone, { what: `claim ${name} to be gone` });
  await client.create(persistentVolumeClaims, likeness(old, notes));
}

function likeness(
  old: Stored<PersistentVolumeClaim>,
  notes: "copied" | "unidentified" | "none",
): PersistentVolumeClaim {
  const { name, namespace = "", labels = {}, ownerReferences = [], annotations = {} } = old.metadata;
  const ours = Object.values(ANNOTATIONS).filter(
    (key) => notes === "copied" || ![ANNOTATIONS.memberId, ANNOTATIONS.clusterId].some((id) => id === key),
  );
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => ours.some((own) => own === key)));
  const { volumeName: _, ...spec } = old.spec ?? {};
  const metadata =
    notes === "none" ? { name, namespace } : { name, namespace, labels, ownerReferences, annotations: kept };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec };
}

/** As after a forced cleanup: the claim's status is Lost. */
async function deleteVolume(stage: Stage, claim: string): Promise<void> {
  const { client } = stage.world;
  const { spec } = await client.get(persistentVolumeClaims, refOf(stage, claim));
  const ref = { name: spec?.volumeName ?? "" };
  await client.delete(persistentVolumes, ref);
  await client.patch(persistentVolumes, ref, { merge: { metadata: { finalizers: null } } }).catch(() => undefined);
  const isLost = async () => (await client.get(persistentVolumeClaims, refOf(stage, claim))).status?.phase === "Lost";
  await until(isLost, { what: `claim ${claim} to be without its volume` });
}

/** As in `--initial-cluster`. */
async function everyMember({ cluster }: Stage): Promise<string> {
  return (await cluster.members()).map(({ name, peerUrls }) => `${name}=${peerUrls[0]}`).join(",");
}

function annotationsOf(stage: Stage, notes: Notes, everyone: string): Record<string, string | null> {
  const pairs = Object.entries(notes).map(([name, value]) => {
    const key = ANNOTATIONS[name as keyof typeof ANNOTATIONS];
    if (value === "every-member") return [key, everyone] as const;
    if (value === null || typeof value === "string") return [key, value] as const;
    return [key, stage.actor(value.of).memberId?.toString(16) ?? ""] as const;
  });
  return Object.fromEntries(pairs);
}
