/** How a cluster comes out of two accidents. */
export type OutcomeId = "serves" | "returns" | "survivor" | "backup" | "orphan";

export interface Outcome {
  /** The letter that stands for it in the table. */
  readonly letter: string;
  readonly title: string;
  readonly what: string;
  readonly human: string;
  /** What the surviving cluster has of what was acknowledged to clients. */
  readonly keeps: "everything" | "everything up to the backup";
  /** Whether it is the etcd cluster that it was before. */
  readonly isSame: boolean;
  /** What a person asks for when the operator can go no further. */
  readonly restore?: "newer survivor" | "backup";
  /** Whether the pods that have no owner are deleted first. */
  readonly deletesOrphans?: true;
}

export const OUTCOMES: Readonly<Record<OutcomeId, Outcome>> = {
  serves: {
    ...{ letter: "A", title: "Serves on", keeps: "everything", isSame: true },
    what: "Clients are served all the time, but for elections and the restart of a member. The etcd cluster is the same.",
    human: "Nothing.",
  },
  returns: {
    ...{ letter: "B", title: "Comes back", keeps: "everything", isSame: true },
    what: "The members come back on their volumes: the same etcd cluster, with everything that was acknowledged. Clients are not served until a majority is back.",
    human: "Nothing.",
  },
  survivor: {
    ...{ letter: "C", title: "Restore the survivor", keeps: "everything", isSame: false, restore: "newer survivor" },
    what: "A majority has lost its data, and a member that has everything runs on. `QuorumLost` is `True`, `Available` is `False`, and nothing is removed.",
    human:
      "Make an `EtcdRestore` of the newest backup with `preferNewerSurvivor: true`. It saves what the survivor has and restores that: nothing that was acknowledged is lost.",
  },
  backup: {
    ...{
      letter: "D",
      title: "Restore the backup",
      keeps: "everything up to the backup",
      isSame: false,
      restore: "backup",
    },
    what: "A majority has lost its data, and no member runs that could be saved. No new cluster is bootstrapped, `Available` is `False`, and the volumes that are left are kept.",
    human:
      "Make an `EtcdRestore` of the newest backup. What was acknowledged after that backup is not in the restored cluster; a volume that may have it stays until you delete it.",
  },
  orphan: {
    ...{ letter: "E", title: "Delete the orphan, restore the backup", keeps: "everything up to the backup" },
    ...{ isSame: false, restore: "backup", deletesOrphans: true },
    what: "A majority has lost its data, and the member that is left runs without an owner. No new cluster is bootstrapped, `Available` is `False`, and `Degraded` names the pod.",
    human:
      "If you need what that member has and the newest backup lacks, save it with `etcdctl snapshot save` first. Delete its pod, then make an `EtcdRestore` of the newest backup. Its volume stays until you delete it.",
  },
};
