import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describeFinding, examine, type Finding, mentionsUs, NOTHING_OF_OURS } from "./manifest-findings.ts";

/** What became of one file. */
interface Report {
  readonly file: string;
  readonly valid: boolean;
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
}

interface Options {
  readonly output: "text" | "json";
}

/** Exit codes as in the help text: something is wrong with an object; something could not be read. */
const INVALID = 1;
const UNREADABLE = 2;

/** Judges every object of ours in files, folders and standard input; sets the exit code. */
export async function validateFiles(paths: readonly string[], { output }: Options): Promise<void> {
  const reports: Report[] = [];
  for (const path of paths) {
    for (const report of await reportsOn(path)) {
      reports.push(report);
      if (output === "text") print(report);
    }
  }
  const valid = reports.every((report) => report.valid);
  if (output === "json") process.stdout.write(`${JSON.stringify({ valid, files: reports }, undefined, 2)}\n`);
  if (!valid) process.exitCode ??= INVALID;
}

function print({ file, valid, findings, warnings }: Report): void {
  for (const warning of warnings) process.stderr.write(`${file}: warning: ${describeFinding(warning)}\n`);
  for (const finding of findings) process.stderr.write(`${file}: ${describeFinding(finding)}\n`);
  if (valid) process.stdout.write(`${file}: valid\n`);
}

async function reportsOn(path: string): Promise<readonly Report[]> {
  try {
    if (path === "-") return [reportOf(path, await text(process.stdin))];
    if (!(await stat(path)).isDirectory()) return [reportOf(path, await readFile(path, "utf8"))];
    return await reportsOnFolder(path);
  } catch {
    process.exitCode = UNREADABLE;
    return [refused(path, "cannot be read: check the path and its permissions")];
  }
}

async function reportsOnFolder(folder: string): Promise<readonly Report[]> {
  const reports: Report[] = [];
  for (const file of await manifestsBelow(folder)) {
    const source = await readFile(file, "utf8");
    if (mentionsUs(source)) reports.push(...onObjects(file, source));
  }
  return reports.length > 0 ? reports : [refused(folder, NOTHING_OF_OURS)];
}

async function manifestsBelow(folder: string): Promise<readonly string[]> {
  const found = await readdir(folder, { withFileTypes: true });
  const below = found
    .filter(({ name }) => !name.startsWith(".") && name !== "node_modules")
    .sort((one, other) => one.name.localeCompare(other.name))
    .map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return manifestsBelow(path);
      return /\.(ya?ml|json)$/.test(entry.name) ? [path] : [];
    });
  return (await Promise.all(below)).flat();
}

function reportOf(file: string, source: string): Report {
  return onObjects(file, source)[0] ?? refused(file, NOTHING_OF_OURS);
}

/** Nothing for a text that has no object of ours. */
function onObjects(file: string, source: string): readonly Report[] {
  const { objects, findings, warnings = [] } = examine(source);
  return objects > 0 || findings.length > 0 ? [{ file, valid: findings.length === 0, findings, warnings }] : [];
}

function refused(file: string, message: string): Report {
  return { file, valid: false, findings: [{ message }], warnings: [] };
}
