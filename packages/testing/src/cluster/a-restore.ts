import assert from "node:assert/strict";
import type { EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { type RestoreRequest, restoreAnnotation } from "@etcd-operator/operator/api/restore-request.ts";
import type { ClaimSeen, SetAsidePod } from "@etcd-operator/operator/cluster/model/observation.ts";
import type { RestoreStatus } from "@etcd-operator/operator/cluster/restore/restoring.rule.ts";
import { anObservation, CLUSTER_ID, gone, unknown } from "./an-observation.ts";

export const RESTORE_UID = "restore-uid";

const REQUEST: RestoreRequest = {
  name: "from-backup",
  uid: RESTORE_UID,
  revision: 100,
  sizeBytes: 4096,
  sha256: "ab",
  revisionBump: 1_000,
};

/** For tests: the metadata of a cluster that is asked to go through a restore. */
export function asked(more: Partial<RestoreRequest> = {}) {
  return { annotations: restoreAnnotation({ ...REQUEST, ...more }) };
}

/**
 * For tests: the status of a cluster that goes through a restore, as incarnation 2; before it was incarnation 1 of
 * "c1".
 */
export function inRestore(state: RestoreStatus["state"], more: EtcdClusterStatus = {}): EtcdClusterStatus {
  return {
    phase: "Creating",
    incarnation: 1,
    restore: {
      name: REQUEST.name,
      uid: RESTORE_UID,
      state,
      incarnation: 2,
      revision: REQUEST.revision,
      previousClusterID: CLUSTER_ID,
      previousIncarnation: 1,
    },
    ...more,
  };
}

/** For tests: the same, of which a verified snapshot of all that was there is in a store. */
export function inSavedRestore(state: RestoreStatus["state"], more: EtcdClusterStatus = {}): EtcdClusterStatus {
  const { restore, ...status } = inRestore(state, more);
  assert.ok(restore);
  return {
    ...status,
    restore: { ...restore, saved: true, savedRevision: 90, savedClusterID: CLUSTER_ID, allSaved: true },
  };
}

/** For tests: a previous pod that runs, with its data in it. */
export function formerPod(name: string, more: Partial<SetAsidePod> = {}): SetAsidePod {
  const [pod] = anObservation({ members: [unknown(name, { pod: more })] }).pods;
  assert.ok(pod);
  return { mayRun: true, ...pod };
}

/** For tests: one that was stopped. */
export function stoppedPod(name: string, more: Partial<SetAsidePod> = {}): SetAsidePod {
  return formerPod(name, { fencedImage: "example/etcd:v1", mayRun: false, ...more });
}

export function formerClaim(name: string, more: Partial<ClaimSeen> = {}): ClaimSeen {
  const [claim] = anObservation({ members: [gone(name, { claim: { claimHash: undefined, ...more } })] }).claims;
  assert.ok(claim);
  return claim;
}
