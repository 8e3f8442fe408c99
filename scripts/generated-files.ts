import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Writes each file that has changed; with --check it writes nothing and fails when a file is stale. */
export async function writeOrCheck(files: ReadonlyMap<string, string>): Promise<void> {
  const isCheck = process.argv.includes("--check");
  const stale: string[] = [];
  for (const [path, text] of files) {
    if ((await readFile(path, "utf8").catch(() => "")) === text) continue;
    stale.push(path);
    if (isCheck) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  if (!isCheck || stale.length === 0) return;
  process.stderr.write(`Stale: ${stale.join(", ")}. Run \`make generate\` and commit the result.\n`);
  process.exitCode = 1;
}
