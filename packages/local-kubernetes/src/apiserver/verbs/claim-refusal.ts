import type { ApiContext } from "../api-context.ts";
import { type ApiError, invalid } from "../api-error.ts";
import type { Resource } from "../kinds/resource.ts";
import type { KubeObject } from "../kube-object.ts";

/**
 * Why an object cannot have a key that was asked for; undefined: another is taken, which was the server's own choice.
 */
export async function claimRefusal(
  api: ApiContext,
  resource: Resource,
  object: KubeObject,
  asked: readonly string[],
): Promise<ApiError | undefined> {
  for (const key of asked) {
    if (await api.store.get(key)) return refusedClaim(resource, object, key);
  }
  return undefined;
}

export function refusedClaim(resource: Resource, object: KubeObject, key: string): ApiError {
  const cause = resource.rules.claimRefused?.(object, key);
  return invalid(resource, object.metadata.name ?? "", cause ? [cause] : []);
}
