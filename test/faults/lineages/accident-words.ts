import type { AccidentId } from "./accident.ts";

/** What the document says of an accident. */
export interface AccidentWords {
  /** At the head of a column: short. */
  readonly column: string;
  readonly title: string;
  readonly how: string;
  readonly shows: string;
  readonly human: string;
}

export const ACCIDENT_WORDS: Readonly<Record<AccidentId, AccidentWords>> = {
  "cluster-deleted": {
    column: "deleted",
    title: "CR deleted and re-applied",
    how: "`kubectl delete etcd`, or a GitOps tool prunes the EtcdCluster; then the same manifest is applied again.",
    shows: "Pods and Services are deleted with the EtcdCluster; the claims stay (`whenDeleted: Retain`).",
    human: "Apply the same manifest.",
  },
  orphaned: {
    column: "orphaned",
    title: "Orphaned",
    how: "`kubectl delete etcd --cascade=orphan`; then the same manifest is applied again.",
    shows: "Pods, Services and claims stay without an owner, and etcd serves on.",
    human: "Apply the same manifest.",
  },
  "crd-deleted": {
    column: "CRD",
    title: "CRD deleted",
    how: "`kubectl delete -f deploy/crd`: every EtcdCluster, EtcdBackup and EtcdRestore goes with its CRD.",
    shows: "As above, and backups stop.",
    human: "Apply the CRDs, then the manifests of the EtcdCluster and the EtcdBackup.",
  },
  "operator-rolled-back": {
    column: "operator",
    title: "Operator rolled back",
    how: "An earlier release of the operator runs, and finds words in the status that it does not know.",
    shows: "etcd serves on. The operator changes nothing that it cannot judge, and `Degraded` names the field.",
    human: "Run the later release again.",
  },
  "restore-withdrawn": {
    column: "withdrawn",
    title: "Restore begun and withdrawn",
    how: "An EtcdRestore is made, and deleted before the restored cluster serves.",
    shows: "The members stop, and come back as they were. Clients are not served meanwhile.",
    human: "Nothing.",
  },
  "majority-lost": {
    column: "majority",
    title: "Majority lost",
    how: "Two of three disks are lost for good, with their claims and pods.",
    shows: "`QuorumLost` is `True`, and clients cannot write.",
    human: "As the letter says.",
  },
  "store-away": {
    column: "store",
    title: "Store away",
    how: "The store of the backups does not answer.",
    shows: "The EtcdBackup reports each failed run, and an EtcdRestore waits or fails without touching anything.",
    human: "Bring the store back before you restore.",
  },
  "clock-stepped": {
    column: "clock",
    title: "Clock stepped",
    how: "The clock of the operator's node jumps an hour ahead while a member restarts, and back later.",
    shows: "Nothing: no member is removed for the time that the clock skipped.",
    human: "Nothing.",
  },
  "claim-deleted": {
    column: "claim",
    title: "Claim deleted",
    how: "`kubectl delete pvc` of a running member: the claim stays in `Terminating` until the pod goes.",
    shows: "A Warning and a condition name the member; it is replaced while a majority is healthy.",
    human: "Nothing.",
  },
};
