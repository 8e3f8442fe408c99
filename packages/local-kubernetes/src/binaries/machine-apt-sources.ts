import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type AptSource, parseDeb822Sources, parseOneLineSources } from "./apt-sources.ts";

/** What this machine's apt is told to use; empty where there is no apt. */
export async function machineAptSources(aptDir = "/etc/apt"): Promise<AptSource[]> {
  const parts = join(aptDir, "sources.list.d");
  const names = await readdir(parts).catch(() => []);
  const files = [join(aptDir, "sources.list"), ...names.sort().map((name) => join(parts, name))];
  return (await Promise.all(files.map(sourcesIn))).flat();
}

// apt itself reads these two endings and passes over every other file.
async function sourcesIn(file: string): Promise<AptSource[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  if (file.endsWith(".list")) return parseOneLineSources(text);
  return file.endsWith(".sources") ? parseDeb822Sources(text) : [];
}
