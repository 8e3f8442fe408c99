import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the lock file, seen from a source file as well as from a bundle in dist/. */
export function repositoryRoot(from = fileURLToPath(import.meta.url)): string | undefined {
  const parent = dirname(from);
  if (parent === from) return undefined;
  return existsSync(join(parent, "package-lock.json")) ? parent : repositoryRoot(parent);
}
