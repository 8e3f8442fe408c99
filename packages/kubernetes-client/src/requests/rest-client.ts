import type { Connection } from "../connect/connection.ts";
import { messageOf } from "../values/message-of.ts";
import { eventOf, type WatchEvent } from "../watch/watch-event.ts";
import { MOST_PAGE_BYTES } from "./bounded-text.ts";
import { Exchange, type Method } from "./exchange.ts";
import { jsonLines } from "./json-lines.ts";
import type { KubeObject, ObjectRef, Stored } from "./kube-object.ts";
import { hasCode, KubernetesError } from "./kubernetes-error.ts";
import { collected, type Keep, type ListAnswer, type Page, pageOf } from "./list-page.ts";
import {
  type CallOptions,
  type DeleteOptions,
  deleteBody,
  type ListOptions,
  type Patch,
  patchBody,
  type Query,
  queryString,
  type Selection,
  selectionQuery,
  type WatchOptions,
  type WriteOptions,
  writeQuery,
} from "./request-options.ts";
import { apiVersionOf, pathOf, type Resource } from "./resource.ts";

const DEFAULT_TIMEOUT_MS = 30_000;
export const PAGE_SIZE = 500;
const FEWER = 8;

export interface ClientOptions {
  /** For calls that name none; 30 s. */
  readonly timeoutMs?: number;
  /** What stands before its "/" is also the field manager of our writes. */
  readonly userAgent?: string;
}

interface RawRequest extends CallOptions {
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  readonly mostBytes?: number;
}

/** A typed client of the API server. It never repeats a request: that is for those who know what it means. */
export class KubeClient {
  readonly #exchange: Exchange;
  readonly #timeoutMs: number;

  constructor(
    connection: Connection,
    { timeoutMs = DEFAULT_TIMEOUT_MS, userAgent = "etcd-operator" }: ClientOptions = {},
  ) {
    this.#exchange = new Exchange(connection, userAgent);
    this.#timeoutMs = timeoutMs;
  }

  async get<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options: CallOptions = {},
  ): Promise<Stored<T>> {
    return this.request("GET", pathOf(resource, ref), options);
  }

  /**
   * All objects of a selection, from as many pages as it takes; no more than one of those is in memory as it came, if
   * less is kept.
   */
  async list<T extends KubeObject>(
    resource: Resource<T>,
    { keep, ...options }: ListOptions & { readonly keep?: Keep<T> | undefined } = {},
  ): Promise<Page<T>> {
    try {
      return await collected(this.pages(resource, options), keep);
    } catch (error) {
      // The version that the pages were cut from is compacted: only one piece is sure to be whole.
      if (!hasCode(error, "gone") || options.limit === 0) throw error;
      return collected(this.pages(resource, { ...options, limit: 0 }), keep);
    }
  }

  /** The pages of a list, all of one version. */
  async *pages<T extends KubeObject>(resource: Resource<T>, options: ListOptions = {}): AsyncGenerator<Page<T>> {
    const { limit = PAGE_SIZE, resourceVersion, resourceVersionMatch } = options;
    const selection = { ...selectionQuery(options), limit: limit || undefined };
    let place: Query = { resourceVersion, resourceVersionMatch };
    do {
      const answer = await this.#page<T>(pathOf(resource, options), { ...selection, ...place }, options);
      yield pageOf(resource, answer);
      const next = answer.metadata.continue || undefined;
      if (next !== undefined && next === place.continue) throw endless(pathOf(resource, options));
      place = { continue: next };
    } while (place.continue);
  }

  /** A page whose objects are too large together is asked for again, with fewer of them. */
  async #page<T extends KubeObject>(path: string, query: Query, options: ListOptions): Promise<ListAnswer<T>> {
    for (let limit = Number(query.limit ?? 0); ; limit = Math.max(1, Math.floor(limit / FEWER))) {
      try {
        const asked = {
          ...timing(options),
          query: { ...query, limit: limit || undefined },
          mostBytes: MOST_PAGE_BYTES,
        };
        return await this.request<ListAnswer<T>>("GET", path, asked);
      } catch (error) {
        if (!hasCode(error, "too-large") || limit <= 1) throw error;
      }
    }
  }

  async create<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<Stored<T>> {
    return this.#write("POST", pathOf(resource, { namespace: object.metadata?.namespace }), object, options, resource);
  }

  /** Replaces an object; its resourceVersion, where it has one, is a precondition. */
  async update<T extends KubeObject>(resource: Resource<T>, object: T, options: WriteOptions = {}): Promise<Stored<T>> {
    return this.#write("PUT", pathOf(resource, placeOf(object)), object, options, resource);
  }

  async updateStatus<T extends KubeObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    const path = pathOf(resource, { ...placeOf(object), subresource: "status" });
    return this.#write("PUT", path, object, options, resource);
  }

  async patch<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions & { readonly subresource?: string } = {},
  ): Promise<Stored<T>> {
    const path = pathOf(resource, { namespace: ref.namespace, name: ref.name, subresource: options.subresource });
    return this.request("PATCH", path, { ...timing(options), query: writeQuery(options), ...patchBody(patch) });
  }

  async patchStatus<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<Stored<T>> {
    return this.patch(resource, ref, patch, { ...options, subresource: "status" });
  }

  /** Returns the object as it goes, or undefined where the API server only says that it is gone. */
  async delete<T extends KubeObject>(
    resource: Resource<T>,
    ref: ObjectRef,
    options: DeleteOptions = {},
  ): Promise<Stored<T> | undefined> {
    const answer = await this.request<Stored<T>>(
      "DELETE",
      pathOf(resource, { namespace: ref.namespace, name: ref.name }),
      {
        ...timing(options),
        query: writeQuery({ dryRun: options.dryRun }),
        body: deleteBody(options),
      },
    );
    return answer.kind === "Status" ? undefined : answer;
  }

  async deleteCollection<T extends KubeObject>(
    resource: Resource<T>,
    options: Selection & DeleteOptions = {},
  ): Promise<void> {
    await this.request("DELETE", pathOf(resource, { namespace: options.namespace }), {
      ...timing(options),
      query: { ...selectionQuery(options), ...writeQuery({ dryRun: options.dryRun }) },
      body: deleteBody(options),
    });
  }

  /**
   * What happens to a selection; an error event is thrown. Ends when the API server ends it, which it does after a
   * while.
   */
  async *watch<T extends KubeObject>(resource: Resource<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { resourceVersion, allowWatchBookmarks, timeoutSeconds } = options;
    const path = pathOf(resource, { namespace: options.namespace });
    const query = { watch: true, resourceVersion, allowWatchBookmarks, timeoutSeconds, ...selectionQuery(options) };
    const bytes = this.stream("GET", path, { ...timing(options), query });
    try {
      for await (const line of jsonLines(bytes)) yield eventOf<T>(`watch of ${path}`, line);
    } catch (cause) {
      if (cause instanceof KubernetesError) throw cause;
      const message = messageOf(cause);
      throw new KubernetesError("unavailable", { operation: `watch of ${path}`, message, cause });
    }
  }

  /** Any request; JSON in, JSON out. */
  async request<Answer>(method: Method, path: string, options: RawRequest = {}): Promise<Answer> {
    const text = await this.#exchange.text(this.#exchanged(method, path, options));
    try {
      // The caller names the shape: the API server has checked it, or owns it.
      return JSON.parse(text) as Answer;
    } catch (cause) {
      const message = `the answer is no JSON: ${text.slice(0, 200)}`;
      throw new KubernetesError("unknown", { operation: `${method} ${path}`, message, cause });
    }
  }

  /** The bytes of a long answer, such as a pod's log; the timeout is for its beginning. */
  stream(method: Method, path: string, options: RawRequest = {}): AsyncGenerator<Uint8Array, void, undefined> {
    return this.#exchange.stream(this.#exchanged(method, path, { accept: "*/*", ...options }));
  }

  /** Ends all connections, and with them all requests that still run. */
  async close(): Promise<void> {
    await this.#exchange.close();
  }

  async #write<T extends KubeObject>(
    method: Method,
    path: string,
    object: T,
    options: WriteOptions,
    resource: Resource<T>,
  ): Promise<Stored<T>> {
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, ...object };
    return this.request(method, path, { ...timing(options), query: writeQuery(options), body });
  }

  #exchanged(method: Method, path: string, { query = {}, body, ...options }: RawRequest) {
    return {
      method,
      path,
      query: queryString(query),
      body: body === undefined ? undefined : JSON.stringify(body),
      contentType: options.contentType,
      accept: options.accept,
      signal: options.signal,
      timeoutMs: options.timeoutMs ?? this.#timeoutMs,
      mostBytes: options.mostBytes,
    };
  }
}

function endless(path: string): KubernetesError {
  const message = "the API server repeats the same page without end";
  return new KubernetesError("unknown", { operation: `GET ${path}`, message });
}

function placeOf(object: KubeObject): ObjectRef {
  const { namespace, name } = object.metadata ?? {};
  if (!name) throw new TypeError("an object without metadata.name cannot be written");
  return { namespace, name };
}

function timing({ signal, timeoutMs }: CallOptions): CallOptions {
  return { signal, timeoutMs };
}
