import type { ApiContext } from "../api-context.ts";
import { ApiError } from "../api-error.ts";
import { remove } from "./delete.ts";
import type { DeleteOptions } from "./delete-options.ts";
import { type Listed, list } from "./list.ts";
import type { Selection } from "./selection.ts";

/** Deletes what a list would show, each as if it were deleted alone, and tells what they were before. */
export async function removeCollection(
  api: ApiContext,
  selection: Selection,
  query: URLSearchParams,
  options: DeleteOptions,
): Promise<Listed> {
  const { resource } = selection;
  const found = await list(api, selection, query);
  for (const entry of found.entries) {
    const { name = "", namespace } = resource.codec.read(entry).metadata;
    try {
      await remove(api, { resource, namespace, name }, options);
    } catch (error) {
      // Gone by itself in the meantime, which is what was asked for.
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
    }
  }
  return found;
}
