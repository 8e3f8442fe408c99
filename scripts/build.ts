import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NODE_FLAGS } from "@etcd-operator/operator";
import { type BuildOptions, build } from "esbuild";

// No node_modules in the container image, and a quick start.
const programs = {
  ...Object.fromEntries(
    ["etcd-operator", "etcd-backup-operator", "etcd-restore-operator"].map((name) => [
      name,
      `packages/operator/src/cli/${name}.ts`,
    ]),
  ),
  "etcd-binaries": "packages/local-kubernetes/src/binaries/etcd-binaries-program.ts",
};
const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };

const SHEBANG = `#!/usr/bin/env -S node ${NODE_FLAGS.join(" ")}`;

await rm("dist", { recursive: true, force: true });
await mkdir("dist", { recursive: true });
const shared: BuildOptions = {
  outExtension: { ".js": ".mjs" },
  bundle: true,
  minifySyntax: true,
  minifyWhitespace: true,
  platform: "node",
  target: "node24",
  format: "esm",
  legalComments: "none",
  define: { "process.env.ETCD_OPERATOR_VERSION": JSON.stringify(version) },
  // Bundled CommonJS packages call require() for Node's own modules. The other name is one that no package uses.
  banner: {
    js: `${SHEBANG}\nimport { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);`,
  },
  logLevel: "warning",
};
const { metafile } = await build({
  ...shared,
  entryPoints: programs,
  outdir: "dist",
  metafile: true,
  // Split, so that the libraries of the object stores are loaded only by a process that uses them, and when it does.
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  // As ES modules where packages offer that: unused parts are left out then.
  mainFields: ["module", "main"],
});
// Programs of pods, which bring nothing along but modules of Node.js: the guard is on the path of every start of a
// member.
const podPrograms = {
  "etcd-guard": "packages/operator/src/cluster/guard/etcd-guard.ts",
  "etcd-store-worker": "packages/operator/src/transfer/worker/etcd-store-worker.ts",
};
await build({
  ...shared,
  entryPoints: podPrograms,
  outdir: "dist",
  banner: { js: SHEBANG },
});
// Not part of the image. Split, so that each of its processes loads only its own code.
await build({
  ...shared,
  entryPoints: { local: "packages/local-mode/src/main.ts" },
  outdir: "dist/local",
  splitting: true,
});
for (const program of [...Object.keys(programs), ...Object.keys(podPrograms)])
  await chmod(`dist/${program}.mjs`, 0o755);
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
