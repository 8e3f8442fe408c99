import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { type GcsQuestion, GcsRefusal, invalid, onlyParameters, sendJson } from "./gcs-fake-answer.ts";

export interface FakeObject {
  readonly name: string;
  readonly generation: string;
  readonly sizeBytes: number;
  readonly updated: string;
  readonly file: string;
}

const MOST_RESULTS = 1_000;

/** The objects of a bucket. */
export class FakeBucket {
  readonly #name: string;
  readonly #objects = new Map<string, FakeObject>();
  #lastGeneration = Date.now() * 1_000;

  constructor(name: string) {
    this.#name = name;
  }

  /** Makes the object, or replaces it by a new generation; returns its metadata. */
  store(object: Omit<FakeObject, "generation" | "updated">): unknown {
    this.#lastGeneration += 1;
    const stored = { ...object, generation: String(this.#lastGeneration), updated: new Date().toISOString() };
    this.#objects.set(object.name, stored);
    return this.#metadata(stored);
  }

  /** 412 unless the parameters' conditions hold; generation 0 stands for no object. */
  checkConditions(name: string, query: URLSearchParams): void {
    const wanted = query.get("ifGenerationMatch");
    const { generation = "0" } = this.#objects.get(name) ?? {};
    if (wanted === null || wanted === generation) return;
    throw new GcsRefusal(412, "conditionNotMet", "At least one of the pre-conditions you specified did not hold.");
  }

  list({ query }: GcsQuestion, answer: ServerResponse): void {
    onlyParameters(query, ["prefix", "maxResults", "pageToken", "fields"]);
    const prefix = query.get("prefix") ?? "";
    const count = Math.min(MOST_RESULTS, Number(query.get("maxResults") ?? MOST_RESULTS));
    if (!(count > 0)) throw invalid("Invalid value for maxResults");
    const after = Buffer.from(query.get("pageToken") ?? "", "base64url").toString();
    const names = [...this.#objects.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
    const page = names.slice(0, count);
    const items = page.map((name) => this.#metadata(this.#find(name)));
    const nextPageToken = names.length > count ? Buffer.from(page.at(-1) ?? "").toString("base64url") : undefined;
    const body = { kind: "storage#objects", nextPageToken, items: items.length > 0 ? items : undefined };
    sendJson(answer, 200, onlyFields(body, query.get("fields")));
  }

  async get(name: string, { query, incoming }: GcsQuestion, answer: ServerResponse): Promise<void> {
    onlyParameters(query, ["alt", "ifGenerationMatch"]);
    const object = this.#find(name);
    this.checkConditions(name, query);
    if (query.get("alt") !== "media") return sendJson(answer, 200, this.#metadata(object));
    const headers = { "content-type": "application/octet-stream", "x-goog-generation": object.generation };
    const range = rangeOf(incoming.headers.range, object.sizeBytes);
    if (!range) {
      answer.writeHead(200, { ...headers, "content-length": object.sizeBytes });
      return await pipeline(createReadStream(object.file), answer);
    }
    const { start, end } = range;
    const contentRange = `bytes ${start}-${end}/${object.sizeBytes}`;
    answer.writeHead(206, { ...headers, "content-length": end - start + 1, "content-range": contentRange });
    await pipeline(createReadStream(object.file, { start, end }), answer);
  }

  delete(name: string, { query }: GcsQuestion, answer: ServerResponse): void {
    onlyParameters(query, ["ifGenerationMatch"]);
    this.#find(name);
    this.checkConditions(name, query);
    this.#objects.delete(name);
    answer.writeHead(204).end();
  }

  #find(name: string): FakeObject {
    const object = this.#objects.get(name);
    if (!object) throw new GcsRefusal(404, "notFound", `No such object: ${this.#name}/${name}`);
    return object;
  }

  #metadata({ name, generation, sizeBytes, updated }: FakeObject) {
    return { kind: "storage#object", bucket: this.#name, name, generation, size: String(sizeBytes), updated };
  }
}

/** The range that a header asks for, inclusive; 416 when the object is shorter. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  if (header === undefined) return undefined;
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(header) ?? [];
  if (first === undefined) throw invalid(`the fake does not understand the range '${header}'`);
  const start = Number(first);
  if (start >= size) throw new GcsRefusal(416, "requestedRangeNotSatisfiable", "Request range not satisfiable");
  return { start, end: Math.min(size - 1, last ? Number(last) : size - 1) };
}

/** Such as "items(name,size),nextPageToken". */
function onlyFields(body: Record<string, unknown>, fields: string | null): unknown {
  if (fields === null) return body;
  const chosen = [...fields.matchAll(/([A-Za-z]+)(?:\(([A-Za-z,]+)\))?(?:,|$)/g)];
  if (chosen.map(([text]) => text).join("") !== fields) throw invalid(`Invalid field selection ${fields}`);
  const of = (value: unknown, names: readonly string[]) =>
    Object.fromEntries(Object.entries(value ?? {}).filter(([name]) => names.includes(name)));
  return Object.fromEntries(
    chosen.map(([, name = "", inner]) => {
      const value = body[name];
      return [name, inner && Array.isArray(value) ? value.map((item) => of(item, inner.split(","))) : value];
    }),
  );
}
