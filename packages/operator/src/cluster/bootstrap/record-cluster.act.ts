import { resources } from "@etcd-operator/kubernetes-client";
import { allOf, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, ClaimToNote } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { formatClusterRecord } from "./cluster-record.ts";

/** Records the voters; a recorded voter does not leave, whatever was tried before. */
export async function noteCluster({ writer }: Work, claims: readonly ClaimToNote[]): Promise<ActionOutcome> {
  const note = ({ claim, record }: ClaimToNote) => {
    const annotations = { [ANNOTATIONS.clusterRecord]: formatClusterRecord(record), [ANNOTATIONS.leaving]: null };
    return unlessChanged(`PVC ${claim.name}`, () =>
      writer.patch(resources.persistentVolumeClaims, claim, { metadata: { annotations } }),
    );
  };
  return allOf(claims.map(note));
}
