import type { IncomingHttpHeaders } from "node:http";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A Kubernetes object as far as the cases care. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  [field: string]: unknown;
}

interface ObjectMeta {
  name?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  [field: string]: unknown;
}

export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubeObject;
}

export interface Answer<Body = KubeObject> {
  readonly code: number;
  /** The parsed JSON; undefined when the server answered with something else. */
  readonly body: Body;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

export interface RestOptions {
  /** Default: JSON, and a merge patch for PATCH. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One raw request; any status code is an answer, only a broken connection throws. A string is sent as it is. */
export type Rest = <Body = KubeObject>(
  method: Method,
  path: string,
  body?: unknown,
  options?: RestOptions,
) => Promise<Answer<Body>>;

/** What a lean API server may leave out; its cases are skipped and say so. */
export type Feature = "streaming list" | "schemas of built-in kinds";

/** An API server under test. */
export interface ConformanceTarget {
  readonly adminKubeconfig: string;
  /** As the administrator. */
  readonly rest: Rest;
  /** As an anonymous client. */
  readonly restWithoutCredentials: Rest;
  restWithToken(token: string): Rest;
  /** The events of a watch until the server ends it or `signal` does. */
  watch(path: string, signal: AbortSignal): AsyncIterable<WatchEvent>;
  /** Makes a namespace with a name of its own, and returns the name once pods can be created in it. */
  freshNamespace(labels?: Readonly<Record<string, string>>): Promise<string>;
  /** Whether processes beside the API server collect garbage and end namespaces. */
  readonly hasControllers: boolean;
  readonly lacks: ReadonlySet<Feature>;
  /** Compacts the store, so that nothing from before can be read or watched. */
  forgetHistory(): Promise<void>;
}
