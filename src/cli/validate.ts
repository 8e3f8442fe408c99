import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import { API_VERSION } from "../api/group.ts";
import { describeProblem, judge } from "../api/judge.ts";
import { isKindName } from "../api/kinds.ts";

/** Judges every object of ours in the files, and says of each whether the operator would take it. */
export async function validateFiles(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const source = await (file === "-" ? text(process.stdin) : readFile(file, "utf8")).catch(unreadable);
    const findings = source === undefined ? ["cannot be read: check the path and its permissions"] : findingsIn(source);
    for (const finding of findings) process.stderr.write(`${file}: ${finding}\n`);
    if (findings.length > 0) process.exitCode = 1;
    else process.stdout.write(`${file}: valid\n`);
  }
}

/** What is wrong with the objects in a text; objects of other kinds are not ours to judge. */
export function findingsIn(source: string): readonly string[] {
  const documents = parseAllDocuments(source);
  return documents.flatMap((document) => {
    if (document.errors.length > 0) return document.errors.map((error) => `not YAML: ${error.message}`);
    const object = document.toJS() as { apiVersion?: string; kind?: string; metadata?: { name?: string } } | null;
    if (object?.apiVersion !== API_VERSION) return [];
    const kind = object.kind ?? "";
    if (!isKindName(kind))
      return [`kind ${JSON.stringify(kind)}: ${API_VERSION} has EtcdCluster, EtcdBackup, EtcdRestore`];
    const judgement = judge(kind, object);
    if (judgement.kind === "valid") return [];
    return judgement.problems.map((problem) => `${kind} "${object.metadata?.name ?? ""}": ${describeProblem(problem)}`);
  });
}

function unreadable(): undefined {
  return undefined;
}
