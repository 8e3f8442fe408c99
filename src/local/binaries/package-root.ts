import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of our package.json, seen from a source file as well as from a bundle in dist/. */
export function packageRoot(from = fileURLToPath(import.meta.url)): string | undefined {
  const parent = dirname(from);
  if (parent === from) return undefined;
  return existsSync(join(parent, "package.json")) ? parent : packageRoot(parent);
}
