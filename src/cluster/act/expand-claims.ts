import { resources } from "../../kubernetes/resources.ts";
import type { ActionOutcome, Step } from "../action.ts";
import { allOf, unlessChanged } from "./postponed.ts";
import type { Work } from "./work.ts";

type ExpandClaims = Extract<Step, { kind: "expand-claims" }>;

/** Asks for more storage; the API server refuses it where the storage class does not allow it. */
export async function expandClaims({ writer }: Work, { claims, storage }: ExpandClaims): Promise<ActionOutcome> {
  const spec = { resources: { requests: { storage } } };
  return allOf(
    claims.map((claim) =>
      unlessChanged(`claim ${claim.name}`, () => writer.patch(resources.persistentVolumeClaims, claim, { spec })),
    ),
  );
}
