import type { OpenBackupStore } from "./open-backup-store.ts";

/** The key of what a status calls by its path. */
export function keyAt({ pathOf }: Pick<OpenBackupStore, "pathOf">, path: string): string {
  const bucket = pathOf("");
  return path.startsWith(bucket) ? path.slice(bucket.length) : path;
}
