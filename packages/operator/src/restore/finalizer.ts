import { GROUP } from "../api/group.ts";

/** Keeps an EtcdRestore until what it asked of a cluster is done, or undone. */
export const FINALIZER = `${GROUP}/restore`;

export function hasFinalizer({
  metadata,
}: {
  readonly metadata: { readonly finalizers?: readonly string[] };
}): boolean {
  return metadata.finalizers?.includes(FINALIZER) ?? false;
}
