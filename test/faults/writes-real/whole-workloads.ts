import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { Ground } from "./ground.ts";
import type { RealWorkload } from "./workload.ts";

export const ON_CLAIMS = { pod: { persistentVolumeClaimSpec: A_CLAIM } };
const unsettled = (ground: Ground) => ground.unsettled();

/** What a member needs to join on an emptyDir, whatever it joins for: on a claim, scale-up has all of it. */
const JOINING = [
  ...["add-member-1", "post-pods-1", "word-1-after-post-pods-1", "patch-pods-1", "word-1-after-patch-pods-1"],
  ...["promote-member-1", "patch-pods-status-1", "intents-2", "word-1-after-intents-2"],
];

/**
 * Those of which every write goes wrong in every way, but for what is alike. Clusters are as small as the case allows:
 * each member is a process.
 */
export const wholeWorkloads: readonly RealWorkload[] = [
  {
    name: "create",
    ground: "empty",
    prepare: (ground) => ground.emptied(),
    act: (ground) => ground.createCluster({ size: 2 }),
    missing: unsettled,
    founds: 1,
    writes: [
      ...["post-services-1", "post-services-2", "word-1-after-post-services-2"],
      ...["intents-1", "post-pods-1", "word-1-after-post-pods-1", "record-1", "patch-pods-1", "patch-pods-status-1"],
      ...["intents-2", "post-poddisruptionbudgets-1", "intents-3", "add-member-1", "post-pods-2"],
      ...["word-1-after-post-pods-2", "patch-pods-2", "word-1-after-patch-pods-2", "promote-member-1"],
      ...["patch-pods-status-2", "intents-4"],
      ...["patch-poddisruptionbudgets-1", "word-1-after-patch-poddisruptionbudgets-1"],
    ],
  },
  {
    name: "scale-up",
    ground: "scaled",
    prepare: (ground) => scaledTo(ground, 2),
    act: (ground) => ground.cluster.changeSpec({ size: 3 }),
    missing: unsettled,
    writes: [
      ...["intents-1", "add-member-1", "post-persistentvolumeclaims-1", "post-pods-1", "word-1-after-post-pods-1"],
      ...["patch-persistentvolumeclaims-1", "patch-pods-1", "word-1-after-patch-pods-1"],
      ...["promote-member-1", "patch-pods-status-1", "intents-2", "word-1-after-intents-2"],
    ],
  },
  {
    name: "scale-down",
    ground: "scaled",
    prepare: (ground) => scaledTo(ground, 3),
    act: (ground) => ground.cluster.changeSpec({ size: 2 }),
    missing: unsettled,
    writes: [...["remove-member-1", "delete-pods-1", "word-1-after-delete-pods-1", "delete-persistentvolumeclaims-1"]],
  },
  {
    name: "replace",
    ground: "three",
    prepare: (ground) => ground.withCluster(() => ground.createCluster({ size: 3 })),
    act: (ground) => ground.losePod(),
    missing: unsettled,
    writes: ["remove-member-1", "intents-1", ...JOINING],
    alike: JOINING,
  },
];

/**
 * etcd takes no change of its members until all have been connected for a while, and tries of the operator have no
 * number.
 */
async function scaledTo(ground: Ground, size: number): Promise<void> {
  await ground.withCluster(
    () => ground.createCluster({ size, ...ON_CLAIMS }),
    () => ground.cluster.changeSpec({ size }),
  );
  await ground.isSteady();
}
