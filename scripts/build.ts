import { chmod, mkdir, readFile, rm } from "node:fs/promises";
import { build } from "esbuild";

// One self-contained file per program: no node_modules in the container image, and a quick start.
const programs = ["etcd-operator", "etcd-backup-operator", "etcd-restore-operator", "etcd-binaries"];
const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };

await rm("dist", { recursive: true, force: true });
await mkdir("dist", { recursive: true });
await build({
  entryPoints: programs.map((program) => `src/cli/${program}.ts`),
  outdir: "dist",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  minifySyntax: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  legalComments: "linked",
  define: { "process.env.ETCD_OPERATOR_VERSION": JSON.stringify(version) },
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  logLevel: "warning",
});
for (const program of programs) await chmod(`dist/${program}.mjs`, 0o755);
