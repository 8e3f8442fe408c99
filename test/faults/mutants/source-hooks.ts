import { readFileSync } from "node:fs";
import type { LoadHookSync } from "node:module";
import { fileURLToPath } from "node:url";
import type { Patch } from "./mutant.ts";
import { patched } from "./patched.ts";

const SOURCES = new URL("../../../packages/", import.meta.url).href;

/** Loads the files that patches are for with those in them; all others are loaded as usual. */
export function loadPatched(patches: readonly Patch[]): LoadHookSync {
  return (url, context, nextLoad) => {
    const [place = ""] = url.split("?");
    const file = place.startsWith(SOURCES) ? place.slice(SOURCES.length) : "";
    if (!patches.some((patch) => patch.file === file)) return nextLoad(url, context);
    const source = patched(readFileSync(fileURLToPath(place), "utf8"), file, patches);
    return { format: "module-typescript", source, shortCircuit: true };
  };
}
