import { type RestoreRequest, restoreAnnotation } from "../../api/restore-request.ts";
import { ownResources } from "../../objects/own-resources.ts";
import type { ActionOutcome } from "../action.ts";
import { unlessChanged } from "./postponed.ts";
import type { Work } from "./work.ts";

/** Changes the request in the very version that was seen: whoever asked may have asked for something else since. */
export async function noteDone({ seen, writer }: Work, request: RestoreRequest): Promise<ActionOutcome> {
  const { cluster } = seen;
  const annotations = restoreAnnotation(request);
  return unlessChanged(`EtcdCluster ${cluster.metadata.name}`, () =>
    writer.patch(ownResources.etcdClusters, cluster.metadata, { metadata: { annotations } }),
  );
}
