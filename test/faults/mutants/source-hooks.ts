import { readFile } from "node:fs/promises";
import type { InitializeHook, LoadHook } from "node:module";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";
import type { Patch } from "./mutant.ts";
import { patched } from "./patched.ts";

// Hooks of the thread in which Node loads modules.

const SOURCES = new URL("../../../src/", import.meta.url).href;
let patches: readonly Patch[] = [];

export const initialize: InitializeHook<readonly Patch[]> = (given) => {
  patches = given;
};

/** Loads the files that patches are for with those in them, and leaves all others to those who would load them anyway. */
export const load: LoadHook = async (url, context, nextLoad) => {
  const [place = ""] = url.split("?");
  const file = place.startsWith(SOURCES) ? place.slice(SOURCES.length) : "";
  if (!patches.some((patch) => patch.file === file)) return nextLoad(url, context);
  const source = patched(await readFile(fileURLToPath(place), "utf8"), file, patches);
  const { code } = await transform(source, { loader: "ts", format: "esm", target: "node20", sourcefile: place });
  return { format: "module", source: code, shortCircuit: true };
};
