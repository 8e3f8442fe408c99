import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Directory } from "./directory.ts";
import { workerErrorOf } from "./worker-error.ts";

describe("list", () => {
  test("goes through folders in one order, page by page", async () => {
    const { directory, add } = await aVolume();
    const keys = ["a.b", "a/b", "a/c/d", "a0", "b/%41", "b/c"];
    for (const key of keys.toReversed()) await add(key.replace("%", "%25"));
    const found: string[] = [];
    let after: string | undefined = "";
    while (after !== undefined) {
      const page = await directory.list("", after, 2);
      expect(page.objects.length).toBeLessThanOrEqual(2);
      found.push(...page.objects.map(({ key }) => key));
      after = page.next;
    }
    expect(found.toSorted()).toEqual(keys.toSorted());
  });

  test("does not end when what the last page ended with is deleted", async () => {
    const { directory, add } = await aVolume();
    for (const file of ["x/1", "x/2", "x/3"]) await add(file);
    const { next = "" } = await directory.list("", "", 2);
    await directory.delete("x/2");
    expect((await directory.list("", next, 2)).objects.map(({ key }) => key)).toEqual(["x/3"]);
  });

  test("shows objects only: no uploads, no links, nothing of the file system's own", async () => {
    const { root, directory, add } = await aVolume();
    for (const file of ["seen", ".etcd-store-worker/upload", "lost+found/x", "no%41key"]) await add(file);
    await symlink("/etc/hostname", join(root, "link"));
    await symlink("/etc", join(root, "folder"));
    expect((await directory.list("", "", 100)).objects.map(({ key }) => key)).toEqual(["seen"]);
  });
});

describe("nothing outside of the volume is reached", () => {
  test.each(["../secret", "a/../../secret", "/secret", "..", ".", "/", "a/.."])("by the key %j", async (key) => {
    const { root, directory } = await aVolume();
    await writeFile(join(root, "../secret"), "secret");
    expect(await directory.stat(key)).toBeUndefined();
    expect(await codeOf(directory.open(key))).toBe("not-found");
    await directory.delete(key);
    expect(await readFile(join(root, "../secret"), "utf8")).toBe("secret");
  });

  test("over a link to a folder, neither for reading nor for writing", async () => {
    const { root, directory, arrived } = await aVolume();
    const outside = join(root, "../outside");
    await mkdir(outside);
    await writeFile(join(outside, "secret"), "secret");
    await symlink(outside, join(root, "link"));
    expect(await codeOf(directory.open("link/secret"))).toBe("invalid");
    expect(await codeOf(directory.delete("link/secret"))).toBe("invalid");
    expect(await codeOf(directory.publish(await arrived(), "link/secret"))).toBe("invalid");
    expect(await codeOf(directory.publish(await arrived(), "link/new/deep/file"))).toBe("invalid");
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  test("over a link to a file, and what is put in its place replaces the link", async () => {
    const { root, directory, arrived } = await aVolume();
    await writeFile(join(root, "../secret"), "secret");
    await symlink("../secret", join(root, "link"));
    expect(await codeOf(directory.open("link"))).toBe("invalid");
    await directory.publish(await arrived("ours"), "link");
    expect(await readFile(join(root, "../secret"), "utf8")).toBe("secret");
    expect(await readFile(join(root, "link"), "utf8")).toBe("ours");
  });
});

describe("a place that cannot hold an object", () => {
  test("is a folder, and stays", async () => {
    const { directory, add, arrived } = await aVolume();
    await add("folder/file");
    expect(await directory.stat("folder")).toBeUndefined();
    expect(await codeOf(directory.open("folder"))).toBe("not-found");
    expect(await codeOf(directory.publish(await arrived(), "folder"))).toBe("invalid");
    await directory.delete("folder");
    expect(await directory.stat("folder/file")).toBeDefined();
  });

  test("is below a file", async () => {
    const { directory, add, arrived } = await aVolume();
    await add("file");
    expect(await directory.stat("file/below")).toBeUndefined();
    expect(await codeOf(directory.publish(await arrived(), "file/below"))).toBe("invalid");
  });

  test("is a pipe, and is not waited for", async () => {
    const { root, directory } = await aVolume();
    execFileSync("sh", ["-c", 'mkfifo "$0"', join(root, "pipe")]);
    expect(await codeOf(directory.open("pipe"))).toBe("not-found");
  });

  test.each(["", "\ud800", "a/".repeat(3_000)])("has a key that no file can have", async (key) => {
    const { directory, arrived } = await aVolume();
    expect(await codeOf(directory.publish(await arrived(), key))).toBe("invalid");
  });
});

test("an object that is replaced has another tag, also by one of the same size at the same time", async () => {
  const { directory, arrived } = await aVolume();
  await directory.publish(await arrived("one"), "key");
  const first = await directory.open("key");
  await directory.publish(await arrived("two"), "key");
  const second = await directory.open("key");
  expect(second.etag).not.toBe(first.etag);
  expect((await first.handle.readFile()).toString()).toBe("one");
  await Promise.all([first.handle.close(), second.handle.close()]);
});

async function aVolume() {
  const parent = await mkdtemp(join(tmpdir(), "directory-"));
  onTestFinished(() => rm(parent, { recursive: true }));
  const root = join(parent, "volume");
  await mkdir(root);
  const directory = new Directory(root);
  let uploads = 0;
  return {
    root,
    directory,
    /** A file that lies there, by its own name. */
    add: async (file: string) => {
      await mkdir(dirname(join(root, file)), { recursive: true });
      await writeFile(join(root, file), file);
    },
    /** A file that is to become an object. */
    arrived: async (words = "") => {
      uploads += 1;
      const file = join(directory.uploadsFolder, String(uploads));
      await mkdir(directory.uploadsFolder, { recursive: true });
      await writeFile(file, words);
      return file;
    },
  };
}

async function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "none",
    (error: unknown) => workerErrorOf(error).code,
  );
}
