import { messageOf } from "@etcd-operator/kubernetes-client";
import { parseAllDocuments } from "yaml";
import { quotaBeyondVolume } from "../api/cluster/quota-fits.ts";
import { customResourceDefinition } from "../api/crd/custom-resource-definition.ts";
import { API_VERSION, GROUP } from "../api/group.ts";
import { isKindName, type Kind, type KindName, kinds } from "../api/kinds.ts";
import { describeProblem, judge } from "../api/schema/judge.ts";

/** One thing wrong with a file, or with an object in it. */
export interface Finding {
  readonly kind?: string;
  readonly namespace?: string | undefined;
  readonly name?: string;
  readonly field?: string;
  readonly value?: unknown;
  readonly message: string;
}

/** What was found in a text: how many objects are ours, and what is wrong. */
export interface Examination {
  readonly objects: number;
  readonly findings: readonly Finding[];
  /** What is taken, and will probably go wrong. */
  readonly warnings?: readonly Finding[];
}

interface Manifest {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly generateName?: string };
}

/** Judges the objects in a text; objects of other kinds are not ours to judge. */
export function examine(source: string): Examination {
  const documents = parseAllDocuments(source, AS_KUBECTL_READS);
  const broken = documents.flatMap(({ errors }) => errors.map(({ message }) => `not YAML: ${firstLine(message)}`));
  if (broken.length > 0) return { objects: 0, findings: broken.map((message) => ({ message })) };
  let manifests: readonly Manifest[];
  try {
    // Through JSON, which has no cycles: an alias may contain itself.
    manifests = documents.flatMap((document) => objectsIn(JSON.parse(JSON.stringify(document.toJS() ?? null))));
  } catch (error) {
    const why = messageOf(error);
    return { objects: 0, findings: [{ message: `not a manifest: ${firstLine(why)}` }] };
  }
  const ours = manifests.filter(isOurs);
  return { objects: ours.length, findings: ours.flatMap(findingsOf), warnings: ours.flatMap(warningsOf) };
}

/** The same as lines; a text without objects of ours is a finding, too. */
export function findingsIn(source: string): readonly string[] {
  const { objects, findings } = examine(source);
  return objects === 0 && findings.length === 0 ? [NOTHING_OF_OURS] : findings.map(describeFinding);
}

export const NOTHING_OF_OURS = `no object of ${API_VERSION} found: check apiVersion and kind`;

/** Whether a text may hold objects of ours: in a folder other files are left alone. */
export function mentionsUs(source: string): boolean {
  return source.includes(GROUP) || Object.keys(kinds).some((kind) => source.includes(kind));
}

/** A finding as one line: object, field, value, remedy. */
export function describeFinding({ kind, name, field, value, message }: Finding): string {
  const about = kind === undefined ? "" : `${kind} "${name}": `;
  if (field === undefined) return `${about}${message}`;
  return `${about}${value === undefined ? `${field}: ${message}` : describeProblem({ field, value, message })}`;
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

function findingsOf(object: Manifest): readonly Finding[] {
  const { apiVersion, metadata } = object;
  const kind = String(object.kind ?? "");
  const name = metadata?.name ?? generatedName(metadata?.generateName);
  const about = { kind, ...(metadata?.namespace && { namespace: metadata.namespace }), name: name ?? "" };
  if (apiVersion !== API_VERSION) {
    return [{ ...about, field: "apiVersion", value: apiVersion, message: `write ${API_VERSION}` }];
  }
  if (!isKindName(kind)) {
    return [{ ...about, field: "kind", message: `not supported: use one of ${Object.keys(kinds).join(", ")}` }];
  }
  const judgement = judge(kind, { ...object, metadata: { ...metadata, name } });
  const problems = judgement.kind === "invalid" ? judgement.problems : [];
  const wrong = problems.map(({ field, value = null, message }) => ({ field, value, message }));
  const unknown = unknownFields(object, schemaOf(kind)).map((field) => ({ field, message: UNKNOWN_FIELD }));
  return [...wrong, ...unknown].map((finding) => ({ ...about, ...finding }));
}

function warningsOf({ kind, metadata, ...object }: Manifest): readonly Finding[] {
  const judgement = kind === "EtcdCluster" ? judge(kind, { ...object, kind, metadata }) : undefined;
  const message = judgement?.kind === "valid" ? quotaBeyondVolume(judgement.object.spec) : undefined;
  return message === undefined ? [] : [{ kind: "EtcdCluster", name: metadata?.name ?? "", message }];
}

const UNKNOWN_FIELD = "unknown field: correct its name or remove it";

// The API server makes the name; we only need one that is as long.
function generatedName(prefix: string | undefined): string | undefined {
  return prefix === undefined ? undefined : `${prefix}xxxxx`;
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly items?: unknown;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

const schemas = new Map<KindName, Schema>();

function schemaOf(kind: KindName): Schema {
  const of: Kind = kinds[kind];
  const schema =
    schemas.get(kind) ?? (customResourceDefinition(of).spec.versions[0]?.schema?.openAPIV3Schema as Schema);
  schemas.set(kind, schema);
  return schema;
}

/** Fields that the API server drops: no program reads them, so they are most likely mistyped. */
function unknownFields(given: unknown, schema: Schema, path = ""): readonly string[] {
  if (typeof given !== "object" || given === null) return [];
  if (Array.isArray(given)) {
    const { items } = schema;
    return items ? given.flatMap((each, index) => unknownFields(each, items as Schema, `${path}[${index}]`)) : [];
  }
  const { properties, additionalProperties } = schema;
  // A block without a schema of its own, such as metadata, is not ours to judge.
  const keepsAll = !properties || schema["x-kubernetes-preserve-unknown-fields"] === true;
  return Object.entries(given).flatMap(([key, value]) => {
    const field = path === "" ? key : `${path}.${key}`;
    const below = properties && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (below) return unknownFields(value, below as Schema, field);
    return keepsAll || value === null ? [] : [field];
  });
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
