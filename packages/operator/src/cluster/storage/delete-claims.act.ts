import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { allOf, type Postponed, postponed, settled, unlessChanged } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import type { ActionOutcome, ObjectId } from "../model/action.ts";
import { claimSeen } from "../observe/claim-seen.ts";
import { whyStillNeeded } from "../restore/still-needed.act.ts";

const { persistentVolumeClaims, pods } = resources;

/** Deletes the very claims that were seen, once neither a pod nor the list of members has any use for them. */
export async function deleteClaims(work: Work, claims: readonly ObjectId[]): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  if (change) return change;
  const found = await settled(claims.map(({ name }) => work.live.find(persistentVolumeClaims, name)));
  const there = found.filter((claim) => claim !== undefined);
  const obstacle =
    there.map((claim) => whyNotSame(work, claim, claims)).find(Boolean) ??
    (await settled(there.map((claim) => whyInUse(work, claim)))).find(Boolean) ??
    (await whyListed(work, there));
  return obstacle ?? allOf(there.map((claim) => deleteClaim(work, claim)));
}

function whyNotSame(
  { seen }: Work,
  claim: Stored<PersistentVolumeClaim>,
  claims: readonly ObjectId[],
): Postponed | undefined {
  const { name, uid, resourceVersion } = claim.metadata;
  const isSame = claims.some((each) => each.uid === uid && each.resourceVersion === resourceVersion);
  if (isSame && claimSeen(claim, seen.cluster.metadata.uid)) return undefined;
  return postponed(`PVC ${name} has changed since it was read`);
}

async function whyInUse(
  { live }: Work,
  { metadata: { name } }: Stored<PersistentVolumeClaim>,
): Promise<Postponed | undefined> {
  const pod = await live.find(pods, name);
  return pod && postponed(`not deleting PVC ${name}: pod ${name} exists`);
}

async function whyListed(work: Work, claims: readonly Stored<PersistentVolumeClaim>[]): Promise<Postponed | undefined> {
  if (claims.length === 0) return undefined;
  const { uid } = work.seen.cluster.metadata;
  return whyStillNeeded(
    work,
    claims.flatMap((claim) => claimSeen(claim, uid) ?? []),
  );
}

async function deleteClaim({ writer }: Work, claim: Stored<PersistentVolumeClaim>): Promise<ActionOutcome> {
  return unlessChanged(`PVC ${claim.metadata.name}`, () => writer.delete(persistentVolumeClaims, claim));
}
