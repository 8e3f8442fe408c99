import { GROUP } from "../../api/group.ts";
import { VERSION_ANNOTATION } from "../../api/reserved-keys.ts";

/** What the operator writes on the objects of a cluster, and reads back after a restart. */
export const ANNOTATIONS = {
  /** The version that a pod runs; the name that coreos/etcd-operator gave it. */
  version: VERSION_ANNOTATION,
  specHash: `${GROUP}/spec-hash`,
  /**
   * The image of etcd that the operator asked for, written together with it; admission may have made another one of it.
   */
  askedImage: `${GROUP}/asked-image`,
  /** What the operator asked for and admission answered with something else, so that it is not asked for again. */
  changedByAdmission: `${GROUP}/changed-by-admission`,
  incarnation: `${GROUP}/incarnation`,
  /** In hexadecimal. On a pod it means: this member has joined, and must never start without its data again. */
  memberId: `${GROUP}/member-id`,
  /** In hexadecimal. */
  clusterId: `${GROUP}/cluster-id`,
  /** Which labels and annotations of a pod came from the spec, so that those that the user withdraws can go. */
  podMetadata: `${GROUP}/pod-metadata`,
  /** The container of etcd, and its image, when the pod got another one; the kubelet takes a moment to replace it. */
  replacedContainer: `${GROUP}/replaced-container`,
  /**
   * On a pod of an earlier incarnation that was stopped without losing its data: its image, the container that it had,
   * and what that was made from.
   */
  fenced: `${GROUP}/fenced`,
  /** What a claim was made from, beside its size; another asks for another volume. */
  claimHash: `${GROUP}/claim-hash`,
  /**
   * The cluster that etcd gets as flags, read whenever its container starts: once the member has joined, only the
   * member itself.
   */
  initialCluster: `${GROUP}/initial-cluster`,
  initialClusterState: `${GROUP}/initial-cluster-state`,
  /**
   * On the claim of a member whose pod was deleted for another version: which it ran, and which it comes back with.
   */
  returnsWith: `${GROUP}/returns-with`,
  /**
   * How far the log of the member had got on its disk, so that it does not start on an older copy; removing it
   * allows that.
   */
  logReached: `${GROUP}/log-reached`,
  /**
   * UID of the EtcdCluster that a claim was made for; a claim that outlives its cluster has no owner reference for
   * that.
   */
  clusterUid: `${GROUP}/cluster-uid`,
  /**
   * On the claim of a voter: which voters its cluster has, their peer URLs, and its own version; read when the
   * EtcdCluster was deleted and created again.
   */
  clusterRecord: `${GROUP}/cluster-record`,
  /**
   * On the claim of a voter that is about to be removed: it does not return by itself, only when the list of members
   * has it.
   */
  leaving: `${GROUP}/leaving`,
} as const;

/** The pod condition by which the operator admits voters, and them only, to the Service and the disruption budget. */
export const VOTER_CONDITION = `${GROUP}/voter`;
