import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import { API_VERSION } from "../api/group.ts";
import { describeProblem, judge } from "../api/judge.ts";
import { isKindName } from "../api/kinds.ts";

interface Metadata {
  name?: string;
  generateName?: string;
}

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
    const object = document.toJS() as { apiVersion?: string; kind?: string; metadata?: Metadata } | null;
    if (object?.apiVersion !== API_VERSION) return [];
    const kind = object.kind ?? "";
    if (!isKindName(kind))
      return [`kind ${JSON.stringify(kind)}: ${API_VERSION} has EtcdCluster, EtcdBackup, EtcdRestore`];
    const name = object.metadata?.name ?? generatedName(object.metadata?.generateName);
    const judgement = judge(kind, { ...object, metadata: { ...object.metadata, name } });
    const findings =
      judgement.kind === "valid"
        ? unknownFields(object, judgement.object).map(
            (field) => `${field}: unknown field: correct its name or remove it`,
          )
        : judgement.problems.map(describeProblem);
    return findings.map((finding) => `${kind} "${name ?? ""}": ${finding}`);
  });
}

// The API server makes the name; we only need one that is as long.
function generatedName(prefix: string | undefined): string | undefined {
  return prefix === undefined ? undefined : `${prefix}xxxxx`;
}

/** Fields that the schema dropped: nobody would ever read them, so they are most likely mistyped. */
function unknownFields(given: unknown, taken: unknown, path = ""): readonly string[] {
  if (typeof given !== "object" || given === null || typeof taken !== "object" || taken === null) return [];
  const kept = taken as Record<string, unknown>;
  return Object.entries(given).flatMap(([key, value]) => {
    const field = Array.isArray(given) ? `${path}[${key}]` : `${path}${path && "."}${key}`;
    return Object.hasOwn(kept, key) ? unknownFields(value, kept[key], field) : [field];
  });
}

function unreadable(): undefined {
  return undefined;
}
