import type { StoredSnapshot } from "../../api/backup/stored-snapshot.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import type { RestoreRequest } from "../../api/restore-request.ts";
import { attemptId, isTrue } from "../attempt.ts";
import type { Observation } from "../observation.ts";

/** What is asked of the cluster, from what is on record. */
export function requestOf({ restore, cluster }: Pick<Observation, "restore" | "cluster">): RestoreRequest {
  const { snapshot, safetySnapshot } = restore.status ?? {};
  const { revision = 0, sizeBytes = 0, sha256 = "" } = snapshot ?? {};
  const highest = Math.max(safetySnapshot?.revision ?? 0, ...revisionsIn(cluster));
  const revisionBump = bumpOf(restore.spec.revisionBump, revision, highest);
  const isSaved = isTrue(restore, "Saved");
  const of = { name: restore.metadata.name, uid: attemptId(restore) };
  return { ...of, revision, sizeBytes, sha256, revisionBump, ...(isSaved && { isSaved, ...savedIn(safetySnapshot) }) };
}

/** How far what was saved reaches; nothing where that is not known. */
function savedIn({ revision, clusterID }: Partial<StoredSnapshot> = {}): Pick<RestoreRequest, "saved"> {
  return revision === undefined || clusterID === undefined ? {} : { saved: { revision, clusterID } };
}

/**
 * A cluster that was restored before is far above its backup already: revisions are raised above all that a watcher may
 * have seen, unless the user has set 0.
 */
function bumpOf(wanted: number, revision: number, highest: number): number {
  if (wanted === 0) return 0;
  const bump = wanted + Math.max(0, highest - revision);
  return Math.max(0, Math.min(bump, LARGEST_REVISION - revision));
}

/**
 * A cluster that came near 2^53 by bumps of an older release is raised no further: beyond that its backups could not be
 * read.
 */
const LARGEST_REVISION = 9_000_000_000_000_000;

/** Those of members that are set aside, too: a request that has to be made again asks for the same. */
function revisionsIn(cluster: EtcdCluster | undefined): number[] {
  const { memberStatus = [], restore } = cluster?.status ?? {};
  return [...memberStatus, ...(restore?.previousMembers ?? [])].map(({ revision = 0 }) => revision);
}
