import { resources } from "@etcd-operator/kubernetes-client";
import { allOf, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, Step } from "../model/action.ts";

type ExpandClaims = Extract<Step, { kind: "expand-claims" }>;

/** Asks for more storage; the API server refuses it where the storage class does not allow it. */
export async function expandClaims({ writer }: Work, { claims, storage }: ExpandClaims): Promise<ActionOutcome> {
  const spec = { resources: { requests: { storage } } };
  return allOf(
    claims.map((claim) =>
      unlessChanged(`PVC ${claim.name}`, () => writer.patch(resources.persistentVolumeClaims, claim, { spec })),
    ),
  );
}
