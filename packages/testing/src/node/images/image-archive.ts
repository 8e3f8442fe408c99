import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { type TarEntry, tarArchive } from "./tar.ts";

/** An image as a container runtime imports it. */
export interface ImageContent {
  /** With registry and tag; the tag is not "latest", for that one would be pulled. */
  readonly names: readonly string[];
  /** Files and links; their folders come by themselves. */
  readonly entries: readonly TarEntry[];
  readonly entrypoint?: readonly string[];
  readonly cmd?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: string;
}

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Writes an image of one layer to `file`, in the form of `docker save`; no engine is needed. */
export async function writeImageArchive(file: string, image: ImageContent): Promise<void> {
  const layer = tarArchive(withFolders(image.entries));
  const digest = sha256(layer);
  const config = Buffer.from(JSON.stringify(configOf(image, digest)));
  const configName = `${sha256([config])}.json`;
  const manifest = [{ Config: configName, RepoTags: image.names, Layers: [`${digest}/layer.tar`] }];
  const archive = tarArchive([
    { kind: "file", path: `${digest}/layer.tar`, content: Buffer.concat(layer) },
    { kind: "file", path: configName, content: config },
    { kind: "file", path: "manifest.json", content: Buffer.from(JSON.stringify(manifest)) },
  ]);
  const handle = await open(file, "w");
  try {
    for (const piece of archive) await handle.writeFile(piece);
  } finally {
    await handle.close();
  }
}

function configOf({ entrypoint, cmd, env, user }: ImageContent, digest: string): object {
  return {
    architecture: ARCHITECTURES[process.arch],
    os: "linux",
    config: {
      Env: Object.entries({ PATH, ...env }).map(([name, value]) => `${name}=${value}`),
      ...(entrypoint && { Entrypoint: entrypoint }),
      ...(cmd && { Cmd: cmd }),
      User: user ?? "",
      WorkingDir: "/",
    },
    rootfs: { type: "layers", diff_ids: [`sha256:${digest}`] },
  };
}

function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const made = new Set(entries.filter(({ kind }) => kind === "folder").map(({ path }) => path));
  return entries.flatMap((entry) => {
    const missing = parentsOf(entry.path).filter((path) => !made.has(path));
    for (const path of missing) made.add(path);
    return [...missing.map((path): TarEntry => ({ kind: "folder", path })), entry];
  });
}

function parentsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === "." ? [] : [...parentsOf(parent), parent];
}

function sha256(pieces: readonly Buffer[]): string {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest("hex");
}
