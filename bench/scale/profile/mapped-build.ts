import { readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { CallFrame } from "./cpu-summary.ts";

/** The operator with maps of its sources beside it; otherwise bundled as scripts/build.ts does it. Returns the program. */
export async function mappedBuild(outdir: string): Promise<string> {
  const require =
    'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);';
  await build({
    entryPoints: ["src/cli/etcd-operator.ts"],
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    mainFields: ["module", "main"],
    sourcemap: "external",
    define: { "process.env.ETCD_OPERATOR_VERSION": '"profiled"' },
    banner: { js: require },
    logLevel: "warning",
  });
  return join(outdir, "etcd-operator.mjs");
}

/** Tells from which source a frame came; of Node.js itself, from which of its modules. */
export function sourcesOf(outdir: string): (frame: CallFrame) => string {
  const maps = new Map<string, SourceMap>();
  const mapOf = (file: string) => {
    const known = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")) as SourceMapPayload);
    maps.set(file, known);
    return known;
  };
  return ({ url, lineNumber, columnNumber }) => {
    if (!url.startsWith("file:") || !fileURLToPath(url).startsWith(resolve(outdir))) return url;
    const entry = mapOf(fileURLToPath(url)).findEntry(lineNumber, columnNumber);
    if (!("originalSource" in entry)) return "(bundle)";
    return relative(".", resolve(outdir, entry.originalSource));
  };
}
