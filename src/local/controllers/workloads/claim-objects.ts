import type { LabelSelector } from "kubernetes-types/meta/v1.d.ts";
import type { KubeObject, Stored } from "../../../kubernetes/kube-object.ts";
import { hasCode } from "../../../kubernetes/kubernetes-error.ts";
import type { Resource } from "../../../kubernetes/resource.ts";
import type { ControllerContext } from "../controller-context.ts";
import { controllerReference, ownershipOf } from "./ownership.ts";
import { SeenWrites } from "./seen-writes.ts";

export interface Claim<T extends KubeObject> {
  readonly owner: Stored;
  readonly ownerResource: Resource;
  readonly selector: LabelSelector | undefined;
  readonly resource: Resource<T>;
  readonly candidates: readonly Stored<T>[];
  /** What an object gets when it is taken in, beside its owner. */
  readonly finalizers?: readonly string[];
}

/** The objects that an owner has, after it took in those that nobody has and let go those that its selector does not want. */
export async function claimObjects<T extends KubeObject>(
  context: ControllerContext,
  claim: Claim<T>,
): Promise<Stored<T>[]> {
  const { owner, selector, resource, candidates } = claim;
  const { owned, toAdopt, toRelease } = ownershipOf(owner, selector, candidates);
  const writes = new SeenWrites(context, resource);
  for (const { metadata } of toRelease) {
    const ownerReferences = [{ $patch: "delete", uid: owner.metadata.uid }];
    const patch = { strategic: { metadata: { uid: metadata.uid, ownerReferences } } };
    await writes.patch(metadata, patch).catch(unlessOthersWereFaster);
  }
  const mayAdopt = toAdopt.length > 0 && (await isStaying(context, claim));
  const adopted: Stored<T>[] = [];
  for (const { metadata } of mayAdopt ? toAdopt : []) {
    const { finalizers } = claim;
    const ownerReferences = [controllerReference(owner)];
    const patch = {
      strategic: { metadata: { uid: metadata.uid, ownerReferences, ...(finalizers && { finalizers }) } },
    };
    const object = await writes.patch(metadata, patch).catch(unlessOthersWereFaster);
    if (object) adopted.push(object);
  }
  return [...owned, ...adopted];
}

/** Asks the API server: an owner that is on its way out must not hold on to anything. */
async function isStaying<T extends KubeObject>(
  { client, signal }: ControllerContext,
  { owner: { metadata }, ownerResource }: Claim<T>,
): Promise<boolean> {
  const live = await client.get(ownerResource, metadata, { signal }).catch(unlessOthersWereFaster);
  return live?.metadata.uid === metadata.uid && !live.metadata.deletionTimestamp;
}

/** Gone, another object of that name, or one that somebody else took in at the same time: a change that wakes us again. */
function unlessOthersWereFaster(error: unknown): undefined {
  if (!hasCode(error, "not-found", "conflict", "invalid")) throw error;
}
