import type { ApiError } from "../api-error.ts";
import type { Resource } from "../kinds/resource.ts";
import type { Entry } from "../storage/entry.ts";
import { apiVersionOf } from "../storage/stored-json.ts";
import type { EventType, WatchSink } from "../verbs/watch.ts";
import { objectAnswer, shown, type View } from "./answers.ts";
import { BatchedLines } from "./batched-lines.ts";
import type { Exchange } from "./exchange.ts";

/** Writes the events of a watch as lines of JSON. */
export class WatchStream implements WatchSink {
  readonly #exchange: Exchange;
  readonly #view: View;
  readonly #lines: BatchedLines;
  #isFirst = true;

  constructor(exchange: Exchange, view: View) {
    this.#exchange = exchange;
    this.#view = view;
    this.#lines = new BatchedLines(exchange.response);
  }

  open(): void {
    this.#exchange.head(200, { "content-type": "application/json" });
    this.#exchange.response.flushHeaders();
  }

  event(type: EventType, entry: Entry, revision: bigint): void {
    if (this.#view.representation === "object") this.#lines.add(lineOf(this.#view.resource, type, entry, revision));
    else this.#transformed(type, entry, revision);
  }

  bookmark(revision: bigint, isEndOfInitialEvents: boolean): void {
    const { resource, representation } = this.#view;
    const annotations = { "k8s.io/initial-events-end": "true" };
    const metadata = { resourceVersion: String(revision), ...(isEndOfInitialEvents && { annotations }) };
    const object = { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata };
    const table = { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata, columnDefinitions: null, rows: [] };
    this.#json({ type: "BOOKMARK", object: representation === "Table" ? table : object });
  }

  error(error: ApiError): void {
    this.#json({ type: "ERROR", object: error.status });
  }

  /** No more will come. */
  end(): void {
    this.#lines.flush();
    this.#exchange.response.end();
  }

  #transformed(type: EventType, entry: Entry, revision: bigint): void {
    const object = this.#view.resource.codec.read(entry, revision);
    const now = new Date();
    const { representation } = this.#view;
    // Events are single objects, also to one who asked for lists of them.
    const one = representation === "PartialObjectMetadataList" ? "PartialObjectMetadata" : representation;
    this.#json({ type, object: shown({ ...this.#view, representation: one, now }, object, this.#isFirst) });
    this.#isFirst = false;
  }

  #json(event: unknown): void {
    this.#lines.add(Buffer.from(`${JSON.stringify(event)}\n`, "utf8"));
  }
}

interface CachedLine {
  readonly type: EventType;
  readonly revision: bigint;
  readonly bytes: Buffer;
}

// The same event goes to every watcher of its resource: it is written once.
const lines = new WeakMap<Entry, Map<Resource, CachedLine>>();

function lineOf(resource: Resource, type: EventType, entry: Entry, revision: bigint): Buffer {
  const ofEntry = lines.get(entry) ?? new Map<Resource, CachedLine>();
  lines.set(entry, ofEntry);
  const known = ofEntry.get(resource);
  if (known?.type === type && known.revision === revision) return known.bytes;
  const view = { resource, representation: "object", include: "None", now: new Date(0) } as const;
  const parts = [Buffer.from(`{"type":"${type}","object":`), objectAnswer(view, entry, revision), Buffer.from("}\n")];
  const bytes = Buffer.concat(parts);
  ofEntry.set(resource, { type, revision, bytes });
  return bytes;
}
