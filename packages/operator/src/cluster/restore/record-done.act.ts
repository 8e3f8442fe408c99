import { type RestoreRequest, restoreAnnotation } from "../../api/restore-request.ts";
import { ownResources } from "../../objects/own-resources.ts";
import { unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome } from "../model/action.ts";

/** Changes the request in the very version that was read: a new request may have replaced it since. */
export async function noteDone({ seen, writer }: Work, request: RestoreRequest): Promise<ActionOutcome> {
  const { cluster } = seen;
  const annotations = restoreAnnotation(request);
  return unlessChanged(`EtcdCluster ${cluster.metadata.name}`, () =>
    writer.patch(ownResources.etcdClusters, cluster.metadata, { metadata: { annotations } }),
  );
}
