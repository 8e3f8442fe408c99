import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";

// One self-contained file per program: no node_modules in the container image, and a quick start.
const programs = ["etcd-operator", "etcd-backup-operator", "etcd-restore-operator", "etcd-binaries"];
const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };

await rm("dist", { recursive: true, force: true });
await mkdir("dist", { recursive: true });
const shared: BuildOptions = {
  outExtension: { ".js": ".mjs" },
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  legalComments: "none",
  define: { "process.env.ETCD_OPERATOR_VERSION": JSON.stringify(version) },
  // Bundled CommonJS packages call require() for Node's own modules.
  banner: {
    js: '#!/usr/bin/env node\nimport { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
  },
  logLevel: "warning",
};
const { metafile } = await build({
  ...shared,
  entryPoints: programs.map((program) => `src/cli/${program}.ts`),
  outdir: "dist",
  metafile: true,
});
// On the path of every start of a member, so it brings nothing along: no modules but node:fs and node:path.
await build({
  ...shared,
  entryPoints: ["src/cluster/guard/etcd-guard.ts"],
  outdir: "dist",
  banner: { js: "#!/usr/bin/env node" },
});
// Not part of the image. Split, so that each of its processes loads only its own code.
await build({ ...shared, entryPoints: ["src/cli/local.ts"], outdir: "dist/local", splitting: true });
for (const program of [...programs, "etcd-guard"]) await chmod(`dist/${program}.mjs`, 0o755);
await writeFile("dist/THIRD-PARTY-LICENSES.txt", await licencesOf(Object.keys(metafile.inputs)));

// The licences of what is bundled ask that they travel with it.
async function licencesOf(inputs: readonly string[]): Promise<string> {
  const packages = new Set(inputs.map((input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1]));
  const notices: string[] = [];
  for (const folder of [...packages].filter((found) => found !== undefined).sort()) {
    const pack = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Record<string, string>;
    const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
    const text = file ? await readFile(join(folder, file), "utf8") : `Licence: ${pack.license}`;
    notices.push(`${pack.name} ${pack.version}\n\n${text.trim()}\n`);
  }
  return notices.join(`\n${"-".repeat(80)}\n\n`);
}
