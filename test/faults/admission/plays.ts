import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Stage } from "../workloads/stage.ts";
import type { Workload } from "../workloads/workload.ts";
import { workloads } from "../workloads/workloads.ts";
import { type Refusal, refusals } from "./refusals.ts";
import { volumeWorkloads } from "./volume-workloads.ts";
import type { Webhook } from "./webhook.ts";
import { etcdByName, FORCED_LABEL, webhooks } from "./webhooks.ts";

/** A workload, and what stands before the API server meanwhile. */
export interface AdmissionPlay {
  readonly name: string;
  readonly workload: Workload;
  /** There from the beginning. */
  readonly webhook?: Webhook;
  /** There for two minutes from when the user acts. */
  readonly refusal?: Refusal;
  /** There for five minutes from when the user acts. */
  readonly passing?: Webhook;
}

const OF_TEAM = { pod: { labels: { [FORCED_LABEL]: "a" } } };

const ownWorkloads: readonly Workload[] = [
  {
    name: "one-member",
    prepare: async () => undefined,
    act: (stage) => stage.createCluster({ size: 1, ...OF_TEAM }),
    missing: (stage) => stage.unsettled(),
  },
  {
    name: "relabel",
    prepare: (stage) => made(stage, OF_TEAM),
    act: (stage) => stage.changeCluster({ pod: { labels: { [FORCED_LABEL]: "b" } } }),
    missing: (stage) => stage.unsettled(),
  },
  {
    name: "version-roll",
    prepare: (stage) => made(stage),
    act: (stage) => stage.changeCluster({ version: "3.5.21" }),
    missing: (stage) => [...stage.unsettled(), ...notYet(stage, "3.5.21")],
  },
  {
    name: "volumes-scale-up",
    prepare: (stage) => made(stage, { pod: { persistentVolumeClaimSpec: A_CLAIM } }),
    act: (stage) => stage.changeCluster({ size: 4 }),
    missing: (stage) => stage.unsettled(),
  },
];

const EVERYTHING = [
  ...["create", "create-parallel", "one-member", "scale-up", "replace"],
  ...["pvc-pod-lost", "version-roll", "relabel", "backup", "restore"],
  ...["volume-backup", "volume-restore"],
];
const IMAGES = ["create", "one-member", "pvc-pod-lost", "version-roll"];
const PODS = ["create-parallel", "pvc-pod-lost", "version-roll", "volume-backup", "volume-restore"];
/** What is played behind each webhook: where it may matter. */
const BEHIND: Readonly<Record<string, readonly string[]>> = {
  "mirror-on-create": EVERYTHING,
  mirror: [...IMAGES, "relabel"],
  "digest-on-create": IMAGES,
  digest: EVERYTHING,
  "mirror-from-updates-on": [...IMAGES, "relabel"],
  sidecars: PODS,
  scheduling: PODS,
  defaults: PODS,
  labels: ["create", "relabel", "version-roll"],
  "other-objects": ["create-parallel", "pvc-pod-lost", "version-roll"],
  everything: EVERYTHING,
};
/** In which pods are made after the user has acted. */
const REFUSED = named("create", "scale-up", "replace", "pvc-pod-lost", "restore");
const ON_VOLUMES = named("create-parallel", "volumes-scale-up");

export const admissionPlays: readonly AdmissionPlay[] = [
  ...webhooks.flatMap((webhook) =>
    named(...(BEHIND[webhook.name] ?? []))
      .filter((workload) => changesSomething(webhook, workload))
      .map((workload) => play(workload, webhook.name, { webhook })),
  ),
  ...refusals.flatMap((refusal) =>
    (refusal.name === "storage-quota" ? ON_VOLUMES : REFUSED).map((workload) =>
      play(workload, refusal.name, { refusal }),
    ),
  ),
  ...named("restore").map((workload) => play(workload, etcdByName.name, { passing: etcdByName })),
];

function play(workload: Workload, word: string, what: Omit<AdmissionPlay, "name" | "workload">): AdmissionPlay {
  return { name: `${word}/${workload.name}`, workload, ...what };
}

function named(...names: readonly string[]): readonly Workload[] {
  const all = [...ownWorkloads, ...volumeWorkloads, ...workloads];
  return names.map((name) => {
    const found = all.find((workload) => workload.name === name);
    if (!found) throw new Error(`there is no workload ${name}`);
    return found;
  });
}

/** What happens only to what is created happens before the user relabels. */
function changesSomething({ onUpdate }: Webhook, { name }: Workload): boolean {
  return onUpdate !== undefined || name !== "relabel";
}

async function made(stage: Stage, spec: object = {}): Promise<void> {
  await stage.createCluster({ bootstrap: { mode: "Parallel" }, ...spec });
  await stage.settled();
}

/** By what etcd says; the name of an image shows nothing here. */
function notYet({ cluster }: Stage, version: string): readonly string[] {
  const members = cluster?.status?.memberStatus ?? [];
  return members
    .filter((member) => member.version !== version)
    .map(({ name, version: runs }) => `${name} runs ${runs}`);
}
