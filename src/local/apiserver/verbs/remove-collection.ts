import type { ApiContext } from "../api-context.ts";
import { ApiError } from "../api-error.ts";
import type { Entry } from "../storage/entry.ts";
import { type DeleteOptions, remove } from "./delete.ts";
import { type Listed, list } from "./list.ts";
import type { Selection } from "./selection.ts";

/** Deletes all that a selection finds, each as if it were deleted alone, and tells what they were. */
export async function removeCollection(api: ApiContext, selection: Selection, options: DeleteOptions): Promise<Listed> {
  const { resource } = selection;
  const { uid: _, resourceVersion: __, ...each } = options;
  const found = await list(api, selection, new URLSearchParams());
  const entries: Entry[] = [];
  for (const entry of found.entries) {
    const { name = "", namespace } = resource.codec.read(entry).metadata;
    try {
      entries.push((await remove(api, { resource, namespace, name }, each)).entry);
    } catch (error) {
      // Gone by itself in the meantime, which is what was asked for.
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
    }
  }
  return { entries, revision: found.revision };
}
