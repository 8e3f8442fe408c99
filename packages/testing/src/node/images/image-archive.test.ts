import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readlink, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished, test } from "vitest";
import { writeImageArchive } from "./image-archive.ts";
import { type TarEntry, tarArchive } from "./tar.ts";

const run = promisify(execFile);
const deep = `${"folder/".repeat(20)}file`;
const entries: readonly TarEntry[] = [
  { kind: "file", path: "usr/bin/tool", content: Buffer.from("#!/bin/sh\n") },
  { kind: "file", path: deep, content: Buffer.alloc(1024, "x"), mode: 0o644 },
  { kind: "link", path: "bin/tool", target: "../usr/bin/tool" },
  { kind: "folder", path: "tmp", mode: 0o1777 },
];

test("an image is unpacked by tar as it was written: files, modes, links and long paths", async () => {
  const folder = await aFolder();
  const root = await unpackedImage(folder);
  assert.equal(await readFile(join(root, "usr/bin/tool"), "utf8"), "#!/bin/sh\n");
  assert.equal((await stat(join(root, "usr/bin/tool"))).mode & 0o7777, 0o755);
  assert.equal((await stat(join(root, deep))).size, 1024);
  assert.equal((await stat(join(root, deep))).mode & 0o7777, 0o644);
  assert.equal(await readlink(join(root, "bin/tool")), "../usr/bin/tool");
  assert.equal((await stat(join(root, "tmp"))).mode & 0o7777, 0o1777);
});

test("the manifest names the image, its configuration and its layer by their digests", async () => {
  const folder = await aFolder();
  await unpackedImage(folder);
  const [manifest] = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
  assert.deepEqual(manifest.RepoTags, ["registry.test/tool:v1"]);
  const config = JSON.parse(await readFile(join(folder, manifest.Config), "utf8"));
  const { stdout } = await run("sha256sum", [join(folder, manifest.Layers[0])]);
  assert.deepEqual(config.rootfs.diff_ids, [`sha256:${stdout.split(" ")[0]}`]);
  assert.deepEqual(config.config.Entrypoint, ["tool"]);
});

test("the same entries are the same bytes", () => {
  assert.deepEqual(Buffer.concat(tarArchive(entries)), Buffer.concat(tarArchive(entries)));
});

test("a path that no archive can hold is refused", () => {
  const path = "x".repeat(101);
  assert.throws(() => tarArchive([{ kind: "folder", path }]), /too long/);
});

async function unpackedImage(folder: string): Promise<string> {
  const archive = join(folder, "image.tar");
  await writeImageArchive(archive, { names: ["registry.test/tool:v1"], entries, entrypoint: ["tool"] });
  await run("tar", ["-xf", archive, "-C", folder]);
  const [{ Layers }] = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
  const root = join(folder, "root");
  await mkdir(root);
  await run("tar", ["-xf", join(folder, Layers[0]), "-C", root]);
  return root;
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "image-archive-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
