import { spawnSync } from "node:child_process";
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { dockerfileStages, type Instruction } from "./dockerfile.ts";

/**
 * Makes what the Dockerfile's build stage lays out for the image, without a container engine: does the stage's COPYs
 * and RUNs in a temporary folder, with this clone's node_modules in the place of `npm ci`. Returns the folder that
 * stands for "/".
 */
export async function imageTree(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "image-"));
  const [source, root] = [join(folder, "src"), join(folder, "image")];
  await mkdir(source);
  for (const instruction of dockerfileStages()[0]?.instructions ?? []) await follow(instruction, source, root);
  // The base image has Node.js here; a copy, because other users may not reach the one that runs this.
  await copyFile(process.execPath, join(root, "usr/local/bin/node"));
  await chmod(folder, 0o755);
  return root;
}

async function follow({ keyword, words, text }: Instruction, source: string, root: string): Promise<void> {
  if (keyword === "COPY") return copy(words.slice(0, -1), join(source, words.at(-1) ?? ""));
  if (text.startsWith("npm ci")) return linkModules(join(source, "node_modules"));
  if (keyword === "RUN") run(text.replaceAll("/image", root), source);
}

/** As `npm ci` leaves them: what others publish, and links to the packages that were copied. */
async function linkModules(folder: string): Promise<void> {
  await mkdir(join(folder, OURS), { recursive: true });
  for (const name of await readdir("node_modules"))
    if (name !== OURS) await symlink(resolve("node_modules", name), join(folder, name));
  for (const name of await readdir("packages")) await symlink(join("../../packages", name), join(folder, OURS, name));
}

const OURS = "@etcd-operator";

async function copy(sources: readonly string[], target: string): Promise<void> {
  // Docker puts files into the target, and the content of a folder.
  for (const path of sources)
    await cp(path, path.endsWith("/") ? target : join(target, basename(path)), { recursive: true });
}

function run(command: string, cwd: string): void {
  const { status, stderr } = spawnSync("/bin/sh", ["-euc", command], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`"${command}" ended with exit code ${status}: ${stderr}`);
}
