import { execFile } from "node:child_process";
import { readdir, readFile, readlink, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import type { TarEntry } from "./tar.ts";

/** A program of this machine at a path in an image, with the libraries that it is linked with. */
export async function programFiles(source: string, path: string): Promise<TarEntry[]> {
  const libraries = await librariesOf(source);
  const files = [{ source, path }, ...libraries.map((library) => ({ source: library, path: library.slice(1) }))];
  return Promise.all(
    files.map(async (file) => ({ kind: "file", path: file.path, content: await readFile(file.source) }) as const),
  );
}

/** What is in a folder, which stands for "/" of an image. */
export async function folderEntries(root: string): Promise<TarEntry[]> {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const entries = found.map(async (each): Promise<TarEntry[]> => {
    const file = join(each.parentPath, each.name);
    const path = relative(root, file);
    if (each.isSymbolicLink()) return [{ kind: "link", path, target: await readlink(file) }];
    if (!each.isFile()) return [];
    return [{ kind: "file", path, content: await readFile(file), mode: (await stat(file)).mode & 0o777 }];
  });
  return (await Promise.all(entries)).flat();
}

/** The same path twice would be two files in one place. */
export function withoutRepeated(entries: readonly TarEntry[]): TarEntry[] {
  return [...new Map(entries.map((entry) => [entry.path, entry])).values()];
}

// ldd fails for a program that is linked with none.
async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)("ldd", [program]).catch(() => ({ stdout: "" }));
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = ""]) => path);
}
