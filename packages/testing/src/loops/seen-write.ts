import { createHash } from "node:crypto";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { GONE, type SeenWrite } from "./loops.ts";

/** A request that changes something, and what the API server made of it. */
export interface SentWrite {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly statusCode: number;
  /** The object as it is stored afterwards; undefined when there is none. */
  readonly object: Stored | undefined;
  /** Of what was not created, as its path has no name. */
  readonly refusedName?: string | undefined;
}

/**
 * The part of a write that the detector of loops checks; undefined for one that changes no object by its name, or is a
 * trial.
 */
export function seenWrite(sent: SentWrite): SeenWrite | undefined {
  const { atMs, method, path, statusCode, object, refusedName } = sent;
  const place = placeOf(path);
  if (!place || method === "GET" || path.includes("dryRun=")) return undefined;
  const { resource } = place;
  const name = nameOf(resource, object) ?? place.name ?? refusedName ?? "";
  const isRefused = statusCode >= 400;
  return {
    ...{ atMs, verb: method, resource, name },
    owner: object && ownerOf(object),
    stored: isRefused ? undefined : object ? fingerprint(resource, object) : GONE,
  };
}

type Answer = Stored & { readonly details?: Details };

interface Details {
  readonly name?: string;
  readonly causes?: readonly { readonly reason?: string }[];
}

/**
 * The same of a write of which only the API server's answer is known: mostly the object as it is stored from then on.
 */
export function answeredWrite({
  answer,
  ...asked
}: Omit<SentWrite, "object" | "refusedName"> & { readonly answer: string }): SeenWrite | undefined {
  const said = (answer.startsWith("{") ? JSON.parse(answer) : {}) as Answer;
  if (said.kind !== "Status") return seenWrite({ ...asked, object: said.metadata && said });
  const { name, causes = [] } = said.details ?? {};
  if (placeOf(asked.path)?.resource !== "events") return seenWrite({ ...asked, object: undefined, refusedName: name });
  // A refused Event's name is ever new and says nothing, so all count together. But of a namespace that is deleted with
  // all that is in it there is much to report at once, each of it is reported once, and its refusals are no reason to
  // wait.
  const isGoing = causes.some(({ reason }) => reason === "NamespaceTerminating");
  return isGoing ? undefined : seenWrite({ ...asked, object: undefined });
}

/** The resource with its subresource, and the name where the path has one. */
export function placeOf(path: string): { readonly resource: string; readonly name?: string | undefined } | undefined {
  const [bare = ""] = path.split("?");
  const within = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/(?=[^/]+))?(.+)$/.exec(bare)?.[1];
  const [plural, name, subresource] = within?.split("/") ?? [];
  if (!plural) return undefined;
  return { resource: subresource ? `${plural}/${subresource}` : plural, name };
}

type Told = Stored & {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly reason?: string;
};

/** An Event's name is ever new: it is known by what it is about. */
function nameOf(resource: string, object: Stored | undefined): string | undefined {
  const { involvedObject, reason } = resource === "events" ? ((object ?? {}) as Partial<Told>) : {};
  return involvedObject ? `${reason} about ${involvedObject.kind} ${involvedObject.name}` : object?.metadata.name;
}

function ownerOf({ metadata }: Stored): string | undefined {
  const [owner] = metadata.ownerReferences ?? [];
  if (owner) return `${owner.kind} ${owner.name}`;
  const cluster = metadata.labels?.etcd_cluster;
  return cluster === undefined ? undefined : `EtcdCluster ${cluster}`;
}

const PASSING_METADATA = ["resourceVersion", "uid", "creationTimestamp", "generation", "managedFields"];
/** The count of an Event is no news, and neither is its name. */
const PASSING_OF_EVENTS = ["metadata", "count", "series"];
const FRACTION = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+(?=Z)/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;

/**
 * What a write can change, the same for objects that differ in times only. A Lease says nothing but the time, so there
 * the seconds count. What others write to the rest of the object is not this write's.
 */
function fingerprint(resource: string, object: Stored): string {
  const { status, ...rest } = object as Stored & { readonly status?: unknown };
  const metadata = without(rest.metadata, PASSING_METADATA);
  const part = resource.endsWith("/status") ? { status } : { ...rest, metadata };
  const text = JSON.stringify(resource === "events" ? without(part, PASSING_OF_EVENTS) : part);
  const masked = resource === "leases" ? text.replace(FRACTION, "$1") : text.replace(TIME, "<time>");
  return createHash("sha256").update(masked).digest("base64");
}

function without(from: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)));
}
