import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { parseAllDocuments } from "yaml";
import { API_VERSION, GROUP } from "../api/group.ts";
import { describeProblem, judge } from "../api/judge.ts";
import { isKindName, kinds } from "../api/kinds.ts";

interface Manifest {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: { readonly name?: string; readonly generateName?: string };
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
  const documents = parseAllDocuments(source, AS_KUBECTL_READS);
  const broken = documents.flatMap(({ errors }) => errors.map(({ message }) => `not YAML: ${message}`));
  if (broken.length > 0) return broken;
  let objects: readonly Manifest[];
  try {
    // Through JSON, which has no cycles: an alias may contain itself.
    objects = documents.flatMap((document) => objectsIn(JSON.parse(JSON.stringify(document.toJS() ?? null))));
  } catch (error) {
    return [`not a manifest: ${error instanceof Error ? error.message : String(error)}`];
  }
  const ours = objects.filter(isOurs);
  if (ours.length === 0) return [`no object of ${API_VERSION} in it: check apiVersion and kind`];
  return ours.flatMap(findingsOf);
}

// kubectl's reader follows YAML 1.1, where a bare yes is true.
const AS_KUBECTL_READS = { version: "1.1", merge: true } as const;

/** The objects of a document: itself, or the items of a list such as `kubectl get -o yaml` prints. */
function objectsIn(document: unknown): readonly Manifest[] {
  if (typeof document !== "object" || document === null) return [];
  const { kind, items } = document as { kind?: unknown; items?: unknown };
  if (typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)) return items.flatMap(objectsIn);
  return [document];
}

function isOurs({ apiVersion, kind }: Manifest): boolean {
  return String(apiVersion).startsWith(`${GROUP}/`) || isKindName(String(kind));
}

function findingsOf(object: Manifest): readonly string[] {
  const { apiVersion, metadata } = object;
  const kind = String(object.kind ?? "");
  const name = metadata?.name ?? generatedName(metadata?.generateName);
  const about = (finding: string) => `${kind} "${name ?? ""}": ${finding}`;
  if (apiVersion !== API_VERSION) return [about(`apiVersion: ${JSON.stringify(apiVersion)}: write ${API_VERSION}`)];
  if (!isKindName(kind)) return [about(`kind: not supported: use one of ${Object.keys(kinds).join(", ")}`)];
  const judgement = judge(kind, { ...object, metadata: { ...metadata, name } });
  if (judgement.kind === "invalid") return judgement.problems.map(describeProblem).map(about);
  return unknownFields(object, judgement.object)
    .map((field) => `${field}: unknown field: correct its name or remove it`)
    .map(about);
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
    return value === null || Object.hasOwn(kept, key) ? unknownFields(value, kept[key], field) : [field];
  });
}

function unreadable(): undefined {
  return undefined;
}
