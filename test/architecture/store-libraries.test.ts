import assert from "node:assert/strict";
import { build, type Metafile } from "esbuild";
import { test } from "vitest";

const PROGRAMS = ["etcd-operator", "etcd-backup-operator", "etcd-restore-operator"];
const LIBRARIES = /node_modules\/(@aws-sdk|@smithy|@azure|@google-cloud)\//;

test("no program loads the library of an object store before it opens one", async () => {
  const { metafile } = await build({
    entryPoints: PROGRAMS.map((program) => `packages/operator/src/cli/${program}.ts`),
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    write: false,
    metafile: true,
    logLevel: "silent",
  });
  const onlyWhenUsed = Object.values(metafile.outputs)
    .map(({ entryPoint }) => entryPoint ?? "")
    .filter((entryPoint) => entryPoint.startsWith("packages/object-store/src/"));
  assert.deepEqual(
    onlyWhenUsed.sort(),
    ["abs/abs", "gcs/gcs", "oss/oss", "s3/s3", "volume/volume"].map(
      (store) => `packages/object-store/src/${store}-store.ts`,
    ),
  );
  const early = loadedEarly(metafile).filter((input) => LIBRARIES.test(input));
  assert.deepEqual(early, []);
});

/** What comes with everything that is loaded, except with what is opened by openStore. */
function loadedEarly({ outputs }: Metafile): string[] {
  const isStore = (file: string) => outputs[file]?.entryPoint?.startsWith("packages/object-store/src/");
  const left = Object.keys(outputs).filter((file) =>
    outputs[file]?.entryPoint?.startsWith("packages/operator/src/cli/"),
  );
  const loaded = new Set<string>();
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (loaded.has(file) || isStore(file)) continue;
    loaded.add(file);
    left.push(...(outputs[file]?.imports ?? []).filter(({ external }) => !external).map(({ path }) => path));
  }
  return [...loaded].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
}
