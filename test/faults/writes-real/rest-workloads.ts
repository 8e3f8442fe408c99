import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { backupWorkloads } from "./backup-workloads.ts";
import type { Ground } from "./ground.ts";
import { newCluster } from "./new-cluster.ts";
import { tlsWorkload } from "./tls-workload.ts";
import { ON_CLAIMS } from "./whole-workloads.ts";
import type { RealWorkload } from "./workload.ts";

const PARALLEL = { bootstrap: { mode: "Parallel" } };
const NEXT_VERSION = "3.5.30";
/** Another member comes, and then the one that it stands in for goes. */
const SURGE = [
  ...["intents-1", "add-member-1", "post-pods-1", "patch-pods-1", "promote-member-1", "intents-2"],
  ...["patch-pods-status-1", "patch-poddisruptionbudgets-1", "move-leader-1", "remove-member-1"],
  "delete-pods-1",
];
const unsettled = (ground: Ground) => ground.unsettled();

/** Those of which a few writes go wrong. */
export const restWorkloads: readonly RealWorkload[] = [
  {
    name: "create-parallel",
    ground: "empty",
    prepare: (ground) => ground.emptied(),
    act: (ground) => ground.createCluster({ size: 3, ...PARALLEL, ...ON_CLAIMS }),
    missing: unsettled,
    founds: 1,
    writes: [
      ...["post-services-1", "post-services-2", "word-1-after-post-services-2", "intents-1"],
      ...["post-persistentvolumeclaims-1", "post-persistentvolumeclaims-3", "post-pods-1", "post-pods-3"],
      ...["word-1-after-post-pods-3", "record-1", "patch-persistentvolumeclaims-2", "patch-pods-2"],
      ...["patch-pods-status-1", "patch-pods-status-3", "intents-2", "post-poddisruptionbudgets-1"],
    ],
  },
  {
    name: "pvc-pod-lost",
    ground: "on-claims",
    prepare: (ground) => ground.withCluster(() => ground.createCluster({ size: 3, ...PARALLEL, ...ON_CLAIMS })),
    act: (ground) => ground.losePod(),
    missing: unsettled,
    writes: ["word-1-after-begin", "post-pods-1", "patch-pods-status-1", "word-1-after-patch-pods-status-1"],
  },
  {
    name: "upgrade",
    ground: "empty",
    prepare: (ground) => newCluster(ground, { size: 1 }),
    act: (ground) => ground.cluster.changeSpec({ version: NEXT_VERSION }),
    missing: async (ground) => [...(await ground.unsettled()), ...olderThan(ground, NEXT_VERSION)],
    writes: SURGE,
    maySend: ["word-1"],
  },
  {
    name: "pod-edit",
    ground: "empty",
    prepare: (ground) => newCluster(ground, { size: 1 }),
    act: (ground) => ground.cluster.changeSpec({ pod: { resources: { requests: { cpu: "50m" } } } }),
    missing: async (ground) => [...(await ground.unsettled()), ...withoutRequest(ground)],
    writes: SURGE,
    maySend: ["word-1"],
  },
  tlsWorkload,
  ...backupWorkloads,
  {
    name: "delete",
    ground: "empty",
    prepare: (ground) => newCluster(ground, { size: 2, ...ON_CLAIMS }),
    act: (ground) => ground.deleteAll(ownResources.etcdClusters),
    missing: async (ground) => ground.objects.plurals.filter((plural) => plural !== "persistentvolumeclaims"),
    losesData: true,
    writes: [],
  },
  {
    name: "delete-and-recreate",
    ground: "empty",
    prepare: (ground) => newCluster(ground, { size: 1 }),
    act: async (ground) => {
      await ground.deleteAll(ownResources.etcdClusters);
      await ground.createCluster({ size: 1 });
    },
    missing: unsettled,
    founds: 1,
    losesData: true,
    writes: [
      ...["post-services-1", "post-services-2", "word-1-after-post-services-2", "intents-1", "post-pods-1"],
      ...["word-1-after-post-pods-1", "record-1", "patch-pods-1", "patch-pods-status-1", "intents-2"],
      ...["post-poddisruptionbudgets-1"],
    ],
  },
];

function olderThan({ pods }: Ground, version: string): readonly string[] {
  return pods
    .filter(({ spec }) => !spec?.containers.some(({ image }) => image?.endsWith(`:v${version}`)))
    .map(({ metadata }) => `${metadata.name} does not run ${version}`);
}

function withoutRequest({ pods }: Ground): readonly string[] {
  return pods
    .filter(({ spec }) => !spec?.containers.some(({ resources: { requests } = {} }) => requests?.cpu === "50m"))
    .map(({ metadata }) => `${metadata.name} does not ask for its share`);
}
