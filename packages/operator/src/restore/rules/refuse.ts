import type { Action } from "../action.ts";
import type { Situation } from "../situation.ts";

/** What cannot come to anything, whatever the backup is. */
export function refuse({ seen }: Situation): Action | undefined {
  const { restore, cluster, problems } = seen;
  const { name } = restore.spec.etcdCluster ?? {};
  const fail = (reason: Action["reason"], message: string): Action => ({ kind: "fail", reason, message });
  if (problems.length > 0) return fail("InvalidSpec", problems.join("; "));
  if (cluster?.metadata.deletionTimestamp) {
    return fail(
      "ClusterDeleted",
      `EtcdCluster '${name}' is being deleted: wait until it is deleted, and restore into a new one`,
    );
  }
  if (!cluster && !restore.spec.clusterTemplate) {
    return fail("NoCluster", `EtcdCluster '${name}' does not exist: create it, or set spec.clusterTemplate`);
  }
  return undefined;
}
